import type { Decision, DomainEvent, StreamDefinition } from '@stave/domain';

type Step<S> = (state: S) => Decision<DomainEvent>;

/** A state machine of the domain with everything that may happen to it. */
export interface Machine<S> {
  readonly title: string;
  readonly text: string;
  readonly stream: Pick<StreamDefinition<S>, 'initial' | 'evolve'>;
  /** Returns the status that users see; `[*]` before the creation and after the deletion. */
  readonly statusOf: (state: S) => string;
  /** Returns the part of a state that the next steps depend on. States with the same key are explored once. */
  readonly keyOf: (state: S) => unknown;
  /** Commands and reports, each sent to every state that is reached. */
  readonly steps: readonly Step<S>[];
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

const TIME = '2026-01-01T00:00:00.000Z';
const MOST_STATES = 20_000;

/** Returns every change of status that the deciders and `evolve` of the machine allow, starting from the initial state. */
export function explore<S extends object>({ stream, statusOf, keyOf, steps }: Machine<S>): readonly Transition[] {
  const found = new Map<string, Transition>();
  const seen = new Set<string>();
  const open: S[] = [stream.initial];
  for (let state = open.shift(); state !== undefined; state = open.shift()) {
    for (const step of steps) {
      const decision = step(state);
      if (!decision.ok || decision.events.length === 0) continue;
      const next = decision.events.reduce<S>((before, event) => {
        const after = stream.evolve(before, event, TIME);
        const [from, to] = [statusOf(before), statusOf(after)];
        if (from !== to) found.set(`${from} ${to} ${event.type}`, { from, to, event: event.type });
        return after;
      }, state);
      const key = JSON.stringify(keyOf(next));
      if (!seen.has(key)) open.push(next);
      seen.add(key);
    }
    if (seen.size > MOST_STATES)
      throw new Error(
        `the machine has more than ${MOST_STATES} states with different keys; leave unbounded values out of its key`,
      );
  }
  return [...found.values()].sort((a, b) => (`${a.from} ${a.to} ${a.event}` < `${b.from} ${b.to} ${b.event}` ? -1 : 1));
}
