import type { ExpectedUnit, ObservedRequest } from '@stave/contracts';
import type { Sight } from '@stave/domain';
import type { Unit } from '@stave/driver-sdk';

export type SeenUnit = ObservedRequest['observations'][number];

/** Restarts are told exactly up to ten, then when a tenth more came: a container that crashes for ever fills no log. */
const STEP = 10;

/** Nodes that are not seen as they should be. `units`: everything on the infrastructure, listed after the expected was asked for. */
export function compareNodes(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly SeenUnit[] {
  const found = new Map(units.filter(unit => unit.kind === 'node').map(unit => [keyOf(unit), unit]));
  return expected.flatMap(one => {
    const { resourceId, generation, built, seen } = one;
    const unit = found.get(keyOf({ resourceId, generation: built }));
    const state = unit ? nodeState(unit) : 'missing';
    const same = (state === 'running') === (seen.state === 'running');
    return same ? [] : [{ resourceId, generation, state }];
  });
}

/** Containers that are not seen as before. Those of a node that does not run, or whose containers could not be listed, are left out. */
export function compareContainers(expected: readonly ExpectedUnit[], units: readonly Unit[]): readonly SeenUnit[] {
  const readable = units.filter(unit => unit.kind === 'node' && unit.state === 'running' && !unit.containersUnknown);
  const hosts = new Set(readable.map(unit => unit.resourceId));
  const found = new Map(units.filter(unit => unit.kind === 'container').map(unit => [keyOf(unit), unit]));
  return expected.flatMap(({ resourceId, generation, built, nodeId, seen }) => {
    if (!hosts.has(nodeId ?? '')) return [];
    const now = sightOf(found.get(keyOf({ resourceId, generation: built })));
    return now === undefined || isSame(now, seen) ? [] : [{ resourceId, generation, ...now }];
  });
}

function nodeState(unit: Unit): Sight['state'] {
  if (unit.state === 'running') return unit.containersUnknown ? 'silent' : 'running';
  return unit.state === 'failed' ? 'failed' : 'stopped';
}

function sightOf(unit: Unit | undefined): Sight | undefined {
  if (unit === undefined) return { state: 'missing' };
  const { state, exitCode, restarts } = unit;
  if (state === 'creating') return undefined;
  return { state, ...(exitCode === undefined ? {} : { exitCode }), ...(restarts === undefined ? {} : { restarts }) };
}

function isSame(now: Sight, seen: Sight): boolean {
  const before = seen.restarts ?? 0;
  const after = now.restarts ?? before;
  if (after < before || after - before >= Math.max(1, before / STEP)) return false;
  // the code of its last end is not always known of one that runs again
  return now.state === seen.state && (now.state === 'running' || now.exitCode === seen.exitCode);
}

const keyOf = ({ resourceId, generation }: Pick<Unit, 'resourceId' | 'generation'>): string =>
  `${resourceId}/${generation}`;
