import type { Observation, UnitObservation } from '../health/observation.js';
import { accept, type Decision } from '../kernel/decider.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** Returns whether the container exists on its node and no work could change that. */
const settled = ({
  declared,
  nodeId,
  evictionReason,
  deleting,
  deleted,
  builtGeneration,
  work,
}: ContainerState): boolean =>
  declared !== undefined &&
  nodeId !== undefined &&
  evictionReason === undefined &&
  !deleting &&
  !deleted &&
  builtGeneration > 0 &&
  !work.wanted &&
  !work.claim;

/** Returns how conductors should find the unit of the container; undefined while that is about to change. */
export function expectedContainerUnit(state: ContainerState): UnitObservation | undefined {
  if (!settled(state)) return undefined;
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
  const sight = {
    state: seen,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(restarts === undefined ? {} : { restarts }),
  };
  return accept<ContainerEvent>({ type: 'ContainerObserved', data: sight });
}
