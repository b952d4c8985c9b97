import { clusterHealth, type NodeCounts } from './cluster-health.js';
import type { ClusterState } from './cluster-state.js';
import { create, stateAfter } from './cluster-states.fixture.js';
import type { GroupView } from './reconcile-cluster.js';

const counts = (byStatus: Record<string, number> = {}): NodeCounts => ({ total: 3, ready: 3, byStatus, byRole: {} });
const cluster = (more: Partial<ClusterState>): ClusterState => ({ ...stateAfter(create), status: 'ACTIVE', ...more });
const group = (more: Partial<GroupView>): GroupView => ({
  name: 'w',
  status: 'ACTIVE',
  failed: false,
  deleted: false,
  ...more,
});
const degraded = group({ status: 'DEGRADED', reason: 'no room' });

it.each([
  ['that is active', cluster({}), [group({})], {}, 'HEALTHY', []],
  ['that is being created', cluster({ status: 'CREATING' }), [], {}, 'UNKNOWN', []],
  ['that failed', cluster({ status: 'FAILED', statusReason: 'quota' }), [], {}, 'UNHEALTHY', ['quota']],
  [
    'whose reason repeats that of a degraded group',
    cluster({ status: 'DEGRADED', statusReason: 'node group w: no room' }),
    [degraded, group({ name: 'gone', status: 'DEGRADED', deleted: true })],
    {},
    'UNHEALTHY',
    ['node group w: no room'],
  ],
  [
    'with lost nodes that the group does not report yet',
    cluster({}),
    [group({})],
    { ACTIVE: 2, UNREACHABLE: 1, FAILED: 2 },
    'UNHEALTHY',
    ['2 nodes are FAILED', '1 node is UNREACHABLE'],
  ],
  [
    'whose containers are missing beside a degraded group',
    cluster({
      status: 'DEGRADED',
      statusReason: 'mass-loss-suspected: containers are missing; node group w: no room',
      containersMissing: true,
    }),
    [degraded],
    {},
    'UNHEALTHY',
    [
      'node group w: no room',
      'mass-loss-suspected: containers are missing; nothing is built again before they are seen again or the loss is accepted',
    ],
  ],
  [
    'that is being deleted, with the reasons for the delay',
    cluster({ status: 'DELETING', deleting: true, statusReason: 'the disk is held' }),
    [],
    { FAILED: 1 },
    'UNKNOWN',
    ['the disk is held', '1 node is FAILED'],
  ],
] as const)(
  'clusterHealth returns health and reasons of a cluster %s',
  (_name, state, groups, byStatus, ...expected) => {
    const [health, healthReasons] = expected;
    expect(clusterHealth(state, groups, counts(byStatus))).toEqual({ health, healthReasons });
  },
);
