import type { Decision, DomainEvent, StreamDefinition } from '@stave/domain';

type Step<S> = (state: S) => Decision<DomainEvent>;

/** A state machine of the domain with all its commands and reports. */
export interface Machine<S> {
  readonly title: string;
  readonly text: string;
  readonly stream: Pick<StreamDefinition<S | undefined>, 'initial' | 'evolve'>;
  /** Creates the resource; absent for a machine that has a state from the start. */
  readonly creation?: Decision<DomainEvent>;
  /** Returns the status that users see; `[*]` after the deletion. */
  readonly statusOf: (state: S) => string;
  /** Returns the part of a state on which further steps depend. States with the same key are explored once. */
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
export function explore<S extends object>(machine: Machine<S>): readonly Transition[] {
  const { stream, creation, keyOf, steps } = machine;
  const statusOf = (state: S | undefined): string => (state === undefined ? '[*]' : machine.statusOf(state));
  const found = new Map<string, Transition>();
  const seen = new Set<string>();
  const open: S[] = [];
  const follow = (state: S | undefined, decision: Decision<DomainEvent>): void => {
    if (!decision.ok || decision.events.length === 0) return;
    const next = decision.events.reduce((before, event) => {
      const after = stream.evolve(before, event, TIME);
      const [from, to] = [statusOf(before), statusOf(after)];
      if (from !== to) found.set(`${from} ${to} ${event.type}`, { from, to, event: event.type });
      return after;
    }, state);
    if (next === undefined) throw new Error('the creation creates nothing');
    const key = JSON.stringify(keyOf(next));
    if (!seen.has(key)) open.push(next);
    seen.add(key);
  };
  if (creation) follow(undefined, creation);
  else if (stream.initial) open.push(stream.initial);
  for (let state = open.shift(); state !== undefined; state = open.shift()) {
    for (const step of steps) follow(state, step(state));
    if (seen.size > MOST_STATES)
      throw new Error(
        `the machine has more than ${MOST_STATES} states with different keys; leave unbounded values out of its key`,
      );
  }
  return [...found.values()].sort((a, b) => (`${a.from} ${a.to} ${a.event}` < `${b.from} ${b.to} ${b.event}` ? -1 : 1));
}
