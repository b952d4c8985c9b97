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
  const found: ObservedUnit[] = [];
  for (const { resourceId, generation, built, seen } of expected) {
    const state = observedNodeState(find(resourceId, built));
    if ((state === 'running') !== (seen.state === 'running')) found.push({ resourceId, generation, state });
  }
  return found;
}

/** Returns the nodes whose containers are in the list, if they exist. */
export function readableNodes(units: readonly Unit[]): ReadonlySet<string> {
  const readable = new Set<string>();
  for (const { kind, state, containersUnknown, resourceId } of units)
    if (kind === 'node' && state === 'running' && !containersUnknown) readable.add(resourceId);
  return readable;
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

/**
 * Returns a function that finds the unit of this kind by resource and generation. Nearly every resource has one unit, so that lists are
 * made for the others only: a check of 100,000 nodes leaves little for the garbage collector.
 */
function finderOf(kind: Unit['kind'], units: readonly Unit[]) {
  const first = new Map<string, Unit>();
  const others = new Map<string, Unit[]>();
  for (const unit of units) {
    if (unit.kind !== kind) continue;
    if (first.has(unit.resourceId)) getOrCreate(others, unit.resourceId, () => []).push(unit);
    else first.set(unit.resourceId, unit);
  }
  return (resourceId: string, generation: number): Unit | undefined => {
    const unit = first.get(resourceId);
    if (unit === undefined || unit.generation === generation) return unit;
    return others.get(resourceId)?.find(other => other.generation === generation);
  };
}
