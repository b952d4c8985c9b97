import { invariants } from './set-invariants.fixture.js';
import { SetSimulation } from './set-simulation.fixture.js';

export const MINUTE = 60_000;

/** Returns a set that is complete, and whose invariants are checked from then on. */
export function runningSet(options: ConstructorParameters<typeof SetSimulation>[0] = {}): SetSimulation {
  const set = new SetSimulation(options);
  set.check = invariants(set);
  set.run(MINUTE);
  if (set.state.status !== 'ACTIVE') throw new Error(`the set is ${set.state.status}`);
  return set;
}

/** Returns how the operations ended, in order. */
export const ends = (set: SetSimulation) => set.of('OperationEnded').map(e => [e.data.status, e.data.error?.code]);
