import { clusterHealth, type NodeCounts } from './cluster-health.js';
import { initialCluster, type ClusterState } from './cluster-state.js';
import type { GroupView } from './reconcile-cluster.js';

const counts = (byStatus: Record<string, number> = {}): NodeCounts => ({ total: 3, ready: 3, byStatus, byRole: {} });
const cluster = (more: Partial<ClusterState>): ClusterState => ({ ...initialCluster, status: 'ACTIVE', ...more });
const group = (more: Partial<GroupView>): GroupView => ({
  name: 'w',
  status: 'ACTIVE',
  failed: false,
  deleted: false,
  ...more,
});
const degraded = group({ status: 'DEGRADED', reason: 'no room' });

it.each([
  ['active', cluster({}), [group({})], {}, 'HEALTHY', []],
  ['being made', cluster({ status: 'CREATING' }), [], {}, 'UNKNOWN', []],
  ['refused', cluster({ status: 'FAILED', statusReason: 'quota' }), [], {}, 'UNHEALTHY', ['quota']],
  [
    'with a group that is degraded, which its own reason repeats',
    cluster({ status: 'DEGRADED', statusReason: 'node group w: no room' }),
    [degraded, group({ name: 'gone', status: 'DEGRADED', deleted: true })],
    {},
    'UNHEALTHY',
    ['node group w: no room'],
  ],
  [
    'with nodes that are lost before the group says so',
    cluster({}),
    [group({})],
    { ACTIVE: 2, UNREACHABLE: 1, FAILED: 2 },
    'UNHEALTHY',
    ['2 nodes are FAILED', '1 node is UNREACHABLE'],
  ],
  [
    'that goes, with what keeps it',
    cluster({ status: 'DELETING', deleting: true, statusReason: 'the disk is held' }),
    [],
    { FAILED: 1 },
    'UNKNOWN',
    ['the disk is held', '1 node is FAILED'],
  ],
] as const)('a cluster %s', (_name, state, groups, byStatus, ...expected) => {
  const [health, healthReasons] = expected;
  expect(clusterHealth(state, groups, counts(byStatus))).toEqual({ health, healthReasons });
});
