import { accept, type Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { suspicions, type Observation, type UnitObservation } from '../kernel/observation.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** Returns whether the container was built on its node and no work could change that. */
const isSettled = (s: ContainerState): boolean =>
  s.nodeId !== undefined &&
  s.evictionReason === undefined &&
  !(s.deleting || s.deleted || s.work.wanted || s.work.claim) &&
  s.builtGeneration > 0;

/** Returns how conductors should find the unit of the container; undefined while that is about to change. */
export function expectedContainerUnit(state: ContainerState): UnitObservation | undefined {
  if (!isSettled(state)) return undefined;
  if (state.suspectedLoss) return { state: 'missing' };
  const seen = state.observed ?? { state: state.desired === 'stopped' ? 'stopped' : 'running' };
  const isChecked = seen.state === 'running' && state.contents.healthCheck !== undefined;
  return isChecked ? { ...seen, health: state.health ?? 'unknown' } : seen;
}

/** Returns the event of a result that differs from the last one. A conductor of an earlier release says nothing of health. */
function healthEvents({ contents, health: before = 'unknown' }: ContainerState, seen: Observation): ContainerEvent[] {
  const { health = before, state } = seen;
  const isChanged = state === 'running' && contents.healthCheck !== undefined && health !== before;
  return isChanged ? [{ type: 'ContainerHealthChanged', data: { health } }] : [];
}

/**
 * Returns the events that follow from an observation. One that began before a change of the container is ignored. Restarts are left to
 * the engine and its restart policy. A missing container that is seen again is in service again. `acceptances`: how many losses of its
 * cluster were accepted.
 */
export function observeContainer(
  state: ContainerState,
  observation: Observation,
  acceptances = 0,
): Decision<ContainerEvent> {
  const known = expectedContainerUnit(state);
  if (!known || observation.generation !== state.generation) return accept();
  const { state: seen, restarts, suspected } = observation;
  const exitCode = observation.exitCode ?? (seen === 'running' ? state.observed?.exitCode : undefined);
  const same = known.state === seen && known.exitCode === exitCode && (known.restarts ?? 0) === (restarts ?? 0);
  const health = healthEvents(state, observation);
  if (same) return accept(...health);
  if (seen === 'missing' && suspected) {
    const { clusterId } = state.declared;
    const data = { clusterId, reason: suspicions[suspected], acceptances };
    return accept<ContainerEvent>({ type: 'ContainerLossSuspected', data });
  }
  const data = { state: seen, ...omitUndefined({ exitCode, restarts }) };
  return accept<ContainerEvent>({ type: 'ContainerObserved', data }, ...health);
}

/** Treats a suspected loss as a loss once its cluster has accepted more losses than when it was suspected: the container fails. */
export const isContainerLossAccepted = (state: ContainerState, acceptances: number): boolean =>
  state.suspectedLoss !== undefined && isSettled(state) && acceptances > state.suspectedLoss.acceptances;

export const acceptContainerLoss = (state: ContainerState, acceptances: number): Decision<ContainerEvent> =>
  isContainerLossAccepted(state, acceptances)
    ? accept<ContainerEvent>({ type: 'ContainerObserved', data: { state: 'missing' } })
    : accept();

const endingSuspicion: ReadonlySet<string> = new Set<ContainerEvent['type']>([
  'ContainerObserved',
  'ContainerStartRequested',
  'ContainerStopRequested',
  'ContainerRestartRequested',
  'ContainerRepairRequested',
  'ContainerEvictionRequested',
  'ContainerDeletionRequested',
  'ContainerDeleted',
]);

/**
 * Returns whether the loss of a container is suspected after this event of it, for those who do not keep its state; undefined where the
 * event does not change that.
 */
export function lossSuspicionAfter({ type }: { readonly type: string }): boolean | undefined {
  if (type === 'ContainerLossSuspected') return true;
  return endingSuspicion.has(type) ? false : undefined;
}
