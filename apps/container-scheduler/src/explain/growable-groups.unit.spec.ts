import type { NodeGroupState } from '@stave/domain';
import type { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import type { ProjectRoom } from '../quotas/project-room.js';
import { EngineReservations } from '../telemetry/engine-reservations.js';
import { growableGroups } from './growable-groups.js';
import { scaledGroup } from './scaled-group.fixture.js';

/** Returns the zone of the next node of the group. */
function nextZone(group: NodeGroupState): string | undefined {
  const projection = {
    clusters: new Map([['c', {}]]),
    groups: new Map([['g', group]]),
    groupsByCluster: { in: () => ['g'] },
    nodes: new Map(),
    engineReservations: new EngineReservations(new Map(), { in: () => undefined }),
  };
  const snapshots = { projection, groupView: () => ({}) } as never as ClusterSnapshots;
  const [first] = growableGroups(snapshots, { left: () => Infinity } as never as ProjectRoom, 'c');
  return first?.node.zone;
}

it('the next node of a group takes the place of one that waits for its release, which leaves', () => {
  const group = scaledGroup(['a', 'b'], { enabled: true });
  const zones = [{ name: 'x' }, { name: 'y' }];
  const members = new Map([...group.members].map(([id, m]) => [id, { ...m, zone: id === 'a' ? 'x' : 'y' }]));
  const zoned = { ...group, spec: { ...group.spec, zones }, members };
  expect(nextZone(zoned)).toBe('x');
  const release = { until: '', onTimeout: 'proceed' as const, reason: '', operationId: '' };
  const waiting = new Map([...members].map(([id, m]) => [id, id === 'b' ? { ...m, release } : m]));
  expect(nextZone({ ...zoned, members: waiting })).toBe('y');
});
