import { deepStrictEqual } from 'node:assert/strict';
import type { Decision, DomainEvent } from './decider.js';
import type { StreamDefinition } from './stream-definition.js';

/** What a test folds with: a stream definition, or a part of one. */
type Fold<S, E extends DomainEvent> = Pick<StreamDefinition<S | undefined, E>, 'initial' | 'evolve'>;

export const AT = '2026-01-01T00:00:00.000Z';

/** Folds events; the first event of a resource creates it. */
export function foldAll<S, E extends DomainEvent>(stream: Fold<S, E>, events: readonly E[], from = stream.initial): S {
  const state = events.reduce((before, event) => stream.evolve(before, event, AT), from);
  if (state === undefined) throw new Error('the events create nothing');
  return state;
}

interface When<E extends DomainEvent> {
  /** These events and no others. */
  then(...expected: readonly E[]): void;
  /** The types only. */
  thenTypes(...expected: readonly string[]): void;
  thenRefused(code: string): void;
}

/** given(stream, ...facts).when(decide).then(...events) */
export function given<S, E extends DomainEvent>(stream: Fold<S, E>, ...events: readonly E[]) {
  const state = foldAll(stream, events);
  return {
    state,
    when(decide: (state: S) => Decision<E>): When<E> {
      const decision = decide(state);
      const said = decision.ok ? decision.events : { refused: decision.refusal.code };
      return {
        then: (...expected) => deepStrictEqual(said, expected),
        thenTypes: (...expected) => deepStrictEqual(decision.ok ? decision.events.map(e => e.type) : said, expected),
        thenRefused: code => deepStrictEqual(said, { refused: code }),
      };
    },
  };
}
