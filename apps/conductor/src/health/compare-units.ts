import type { ExpectedUnit, ObservedRequest } from '@stave/contracts';
import { getOrCreate, omitUndefined, type UnitObservation } from '@stave/domain';
import type { Unit } from '@stave/driver-sdk';

export type ObservedUnit = ObservedRequest['observations'][number];

/** Up to ten restarts are reported one by one, then only an increase by a tenth, so that a crash loop does not fill the log. */
const RESTARTS_REPORTED_EXACTLY = 10;

/** Returns the nodes whose state differs from the expected one. `units`: all units, listed after the expected units were requested. */
export function compareNodes(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly ObservedUnit[] {
  if (expected.length === 0) return [];
  const find = finderOf('node', units);
  return expected.flatMap(({ resourceId, generation, built, seen }) => {
    const state = observedNodeState(find(resourceId, built));
    return (state === 'running') === (seen.state === 'running') ? [] : { resourceId, generation, state };
  });
}

/** Returns the nodes whose containers are in the list, if they exist. */
export function readableNodes(units: readonly Unit[]): ReadonlySet<string> {
  const readable = units.filter(unit => unit.kind === 'node' && unit.state === 'running' && !unit.containersUnknown);
  return new Set(readable.map(unit => unit.resourceId));
}

/** Returns the containers whose state has changed. Skips those of nodes that do not run or whose containers could not be listed. */
export function compareContainers(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly ObservedUnit[] {
  if (expected.length === 0) return [];
  const hosts = readableNodes(units);
  const find = finderOf('container', units);
  return expected.flatMap(({ resourceId, generation, built, nodeId, seen }) => {
    if (!hosts.has(nodeId ?? '')) return [];
    const now = observationOf(find(resourceId, built));
    return now === undefined || isUnchanged(now, seen) ? [] : [{ resourceId, generation, ...now }];
  });
}

function observedNodeState(unit: Unit | undefined): UnitObservation['state'] {
  if (unit === undefined) return 'missing';
  if (unit.state === 'running') return unit.containersUnknown ? 'silent' : 'running';
  return unit.state === 'failed' ? 'failed' : 'stopped';
}

function observationOf(unit: Unit | undefined): UnitObservation | undefined {
  if (unit === undefined) return { state: 'missing' };
  const { state, exitCode, restarts } = unit;
  if (state === 'creating') return undefined;
  return omitUndefined({ state, exitCode, restarts });
}

function isUnchanged(now: UnitObservation, seen: UnitObservation): boolean {
  const before = seen.restarts ?? 0;
  const after = now.restarts ?? before;
  if (after < before || after - before >= Math.max(1, before / RESTARTS_REPORTED_EXACTLY)) return false;
  // a driver does not always report the last exit code of a container that runs again
  return now.state === seen.state && (now.state === 'running' || now.exitCode === seen.exitCode);
}

/** Returns a function that finds the unit of this kind by resource and generation. */
function finderOf(kind: Unit['kind'], units: readonly Unit[]) {
  const byResource = new Map<string, Unit[]>();
  for (const unit of units) if (unit.kind === kind) getOrCreate(byResource, unit.resourceId, () => []).push(unit);
  return (resourceId: string, generation: number): Unit | undefined =>
    byResource.get(resourceId)?.find(unit => unit.generation === generation);
}
