import type { ExpectedUnit, ObservedRequest } from '@stave/contracts';
import type { UnitObservation } from '@stave/domain';
import type { Unit } from '@stave/driver-sdk';

export type SeenUnit = ObservedRequest['observations'][number];

/** Restarts are told exactly up to ten, then when a tenth more came: a container that crashes for ever fills no log. */
const STEP = 10;

/** Nodes that are not seen as they should be. `units`: everything on the infrastructure, listed after the expected was asked for. */
export function compareNodes(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly SeenUnit[] {
  if (expected.length === 0) return [];
  const found = new UnitsOf('node', units);
  const told: SeenUnit[] = [];
  for (const { resourceId, generation, built, seen } of expected) {
    const unit = found.get(resourceId, built);
    const state = unit ? nodeState(unit) : 'missing';
    if ((state === 'running') !== (seen.state === 'running')) told.push({ resourceId, generation, state });
  }
  return told;
}

/** Containers that are not seen as before. Those of a node that does not run, or whose containers could not be listed, are left out. */
export function compareContainers(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly SeenUnit[] {
  if (expected.length === 0) return [];
  const readable = units.filter(unit => unit.kind === 'node' && unit.state === 'running' && !unit.containersUnknown);
  const hosts = new Set(readable.map(unit => unit.resourceId));
  const found = new UnitsOf('container', units);
  return expected.flatMap(({ resourceId, generation, built, nodeId, seen }) => {
    if (!hosts.has(nodeId ?? '')) return [];
    const now = sightOf(found.get(resourceId, built));
    return now === undefined || isSame(now, seen) ? [] : [{ resourceId, generation, ...now }];
  });
}

function nodeState(unit: Unit): UnitObservation['state'] {
  if (unit.state === 'running') return unit.containersUnknown ? 'silent' : 'running';
  return unit.state === 'failed' ? 'failed' : 'stopped';
}

function sightOf(unit: Unit | undefined): UnitObservation | undefined {
  if (unit === undefined) return { state: 'missing' };
  const { state, exitCode, restarts } = unit;
  if (state === 'creating') return undefined;
  return { state, ...(exitCode === undefined ? {} : { exitCode }), ...(restarts === undefined ? {} : { restarts }) };
}

function isSame(now: UnitObservation, seen: UnitObservation): boolean {
  const before = seen.restarts ?? 0;
  const after = now.restarts ?? before;
  if (after < before || after - before >= Math.max(1, before / STEP)) return false;
  // the code of its last end is not always known of one that runs again
  return now.state === seen.state && (now.state === 'running' || now.exitCode === seen.exitCode);
}

/** Units of a kind by resource and generation. Nearly every resource has one: keys made of both would cost more than the comparison. */
class UnitsOf {
  private readonly first = new Map<string, Unit>();
  private readonly others = new Map<string, Unit[]>();

  constructor(kind: Unit['kind'], units: readonly Unit[]) {
    for (const unit of units) {
      if (unit.kind !== kind) continue;
      const { resourceId } = unit;
      if (!this.first.has(resourceId)) this.first.set(resourceId, unit);
      else this.others.set(resourceId, [...(this.others.get(resourceId) ?? []), unit]);
    }
  }

  get(resourceId: string, generation: number): Unit | undefined {
    const first = this.first.get(resourceId);
    if (first === undefined || first.generation === generation) return first;
    return this.others.get(resourceId)?.find(unit => unit.generation === generation);
  }
}
