import type { ExpectedUnit, ObservedRequest } from '@stave/contracts';
import { omitUndefined, type UnitObservation } from '@stave/domain';
import type { ListedUnit, ListedUnits } from './listed-units.js';

export type ObservedUnit = ObservedRequest['observations'][number];

/** Up to ten restarts are reported one by one, then only an increase by a tenth, so that a crash loop does not fill the log. */
const RESTARTS_REPORTED_EXACTLY = 10;

/**
 * Returns the nodes that run and should not, do not run and should, or are missing now although something of them was there. `listed`: the
 * nodes, listed after the expected units were requested.
 */
export function compareNodes(expected: readonly ExpectedUnit[], listed: ListedUnits): readonly ObservedUnit[] {
  const found: ObservedUnit[] = [];
  for (const { resourceId, generation, built, seen } of expected) {
    const state = observedNodeState(listed.find(resourceId, built));
    const isGone = state === 'missing' && seen.state !== 'missing';
    if (isGone || (state === 'running') !== (seen.state === 'running')) found.push({ resourceId, generation, state });
  }
  return found;
}

/** Returns the containers whose state has changed. Skips those of nodes that do not run or whose containers could not be listed. */
export function compareContainers(expected: readonly ExpectedUnit[], listed: ListedUnits): readonly ObservedUnit[] {
  const found: ObservedUnit[] = [];
  for (const { resourceId, generation, built, nodeId, seen } of expected) {
    const now = listed.isReadable(nodeId) ? observationOf(listed.find(resourceId, built), seen) : undefined;
    if (now && !isUnchanged(now, seen)) found.push({ resourceId, generation, ...now });
  }
  return found;
}

function observedNodeState(unit: ListedUnit | undefined): UnitObservation['state'] {
  if (unit === undefined) return 'missing';
  if (unit.state === 'running') return unit.containersUnknown ? 'silent' : 'running';
  return unit.state === 'failed' ? 'failed' : 'stopped';
}

/** The health is of interest only for containers that run and are expected to have one. */
function observationOf(unit: ListedUnit | undefined, seen: UnitObservation): UnitObservation | undefined {
  if (unit === undefined) return { state: 'missing' };
  const { state, exitCode, restarts } = unit;
  if (state === 'creating') return undefined;
  const health: UnitObservation['health'] = seen.health && state === 'running' ? (unit.health ?? 'unknown') : undefined;
  return omitUndefined({ state, exitCode, restarts, health });
}

function isUnchanged(now: UnitObservation, seen: UnitObservation): boolean {
  if (now.health !== undefined && now.health !== seen.health) return false;
  const before = seen.restarts ?? 0;
  const after = now.restarts ?? before;
  if (after < before || after - before >= Math.max(1, before / RESTARTS_REPORTED_EXACTLY)) return false;
  // a driver does not always report the last exit code of a container that runs again
  return now.state === seen.state && (now.state === 'running' || now.exitCode === seen.exitCode);
}
