import { accept, type Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import type { Observation, UnitObservation } from '../kernel/observation.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** Returns whether the container exists on its node and no work could change that. */
const isSettled = (s: ContainerState): boolean =>
  s.nodeId !== undefined &&
  s.evictionReason === undefined &&
  !(s.deleting || s.deleted || s.work.wanted || s.work.claim) &&
  s.builtGeneration > 0;

/** Returns how conductors should find the unit of the container; undefined while that is about to change. */
export function expectedContainerUnit(state: ContainerState): UnitObservation | undefined {
  if (!isSettled(state)) return undefined;
  return state.observed ?? { state: state.desired === 'stopped' ? 'stopped' : 'running' };
}

/**
 * Returns the events that follow from an observation. One that began before a change of the container is ignored. Restarts are left to
 * the engine and its restart policy.
 */
export function observeContainer(state: ContainerState, observation: Observation): Decision<ContainerEvent> {
  const known = expectedContainerUnit(state);
  if (!known || observation.generation !== state.generation) return accept();
  const { state: seen, restarts } = observation;
  const exitCode = observation.exitCode ?? (seen === 'running' ? known.exitCode : undefined);
  const same = known.state === seen && known.exitCode === exitCode && (known.restarts ?? 0) === (restarts ?? 0);
  if (same) return accept();
  return accept<ContainerEvent>({
    type: 'ContainerObserved',
    data: { state: seen, ...omitUndefined({ exitCode, restarts }) },
  });
}
