import { deepStrictEqual } from 'node:assert/strict';
import type { Decision, DomainEvent, Evolver } from './decider.js';

export const AT = '2026-01-01T00:00:00.000Z';

export function foldAll<S, E extends DomainEvent>(
  evolver: Evolver<S, E>,
  events: readonly E[],
  from = evolver.initial,
): S {
  return events.reduce((state, event) => evolver.evolve(state, event, AT), from);
}

interface When<E extends DomainEvent> {
  /** These events and no others. */
  then(...expected: readonly E[]): void;
  /** The types only. */
  thenTypes(...expected: readonly string[]): void;
  thenRefused(code: string): void;
}

/** given(evolver, ...facts).when(decide).then(...events) */
export function given<S, E extends DomainEvent>(evolver: Evolver<S, E>, ...events: readonly E[]) {
  const state = foldAll(evolver, events);
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
