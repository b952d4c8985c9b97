import type { ClusterEvent } from '../cluster/cluster-events.js';
import { clusterStream } from '../cluster/evolve-cluster.js';
import { given as folded } from '../kernel/given.fixture.js';
import { spec } from '../node-group/group-simulation.fixture.js';
import { createNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { planCluster } from './plan-cluster.js';
import type { PlanStep } from './plan.js';
import { PlannedRun } from './planned-run.fixture.js';

const operation = { id: 'o', kind: 'k', total: 1 };
const fleetSpec = (count: number, role: 'manager' | 'worker' = 'worker') => ({
  ...spec(count),
  role,
  updateStrategy: { maxSurge: 1, maxUnavailable: 0 },
});
const created: ClusterEvent = {
  type: 'ClusterCreated',
  data: {
    id: 'c',
    name: 'shop',
    projectId: 'p',
    spec: {
      driver: 'fake',
      driverVersion: '1.0.0',
      conductorGroup: '',
      network: {},
      api: {},
      labels: {},
      defaults: {},
      options: {},
    },
    groups: [
      { id: 'w', name: 'work', spec: fleetSpec(2) },
      { id: 'm', name: 'lead', spec: fleetSpec(1, 'manager') },
    ],
    operation,
  },
};

function group(name: string, count: number, role: 'manager' | 'worker'): NodeGroupState {
  const home = { clusterId: 'c', projectId: 'p', operationId: 'o' };
  const run = PlannedRun.of(createNodeGroup({ id: name, name, ...home, spec: fleetSpec(count, role) }));
  run.allWell();
  return run.state;
}

const contents = {
  groups: [group('work', 2, 'worker'), group('lead', 1, 'manager')],
  containers: [{ id: 'k1', name: 'web' }],
  missing: [{ id: 'k1', name: 'web' }],
};

const reported = (steps: readonly PlanStep[]): readonly string[] =>
  steps.map(({ action, resource: { type, name = '' } }) => `${action} ${type} ${name}`);

const planOf = (...events: readonly ClusterEvent[]): readonly string[] => {
  const isNew = events[0] === created;
  const cluster = clusterStream;
  const { state: after } = folded(cluster, ...(isNew ? [] : [created]), ...events);
  return reported([...planCluster({ after, events }, contents)].flat());
};

describe('the plan of a cluster', () => {
  it('the plan of a creation lists the shared infrastructure first, then every node of every group', () => {
    expect(planOf(created)).toEqual([
      'create cluster shop',
      'create node work-0',
      'create node work-1',
      'create node lead-0',
    ]);
  });

  it('the plan of an accepted loss lists the missing containers, which fail', () => {
    expect(planOf({ type: 'ClusterLossAccepted', data: {} })).toEqual(['change container web']);
  });

  it.each<[string, ClusterEvent]>([
    ['rebuild', { type: 'ClusterRebuildRequested', data: { operation } }],
    ['upgrade', { type: 'ClusterUpgradeRequested', data: { operation, version: '1.1.0' } }],
  ])('the plan of a cluster %s lists the shared infrastructure, then node by node, managers first', (_, event) => {
    const nodes = ['change node lead-0', 'change node work-0', 'change node work-1'];
    expect(planOf(event)).toEqual(['change cluster shop', ...nodes]);
  });

  it('the plan of a reboot lists every node and keeps the shared infrastructure', () => {
    expect(planOf({ type: 'ClusterRebootRequested', data: { operation, type: 'hard' } })).toEqual([
      'keep cluster shop',
      'change node lead-0',
      'change node work-0',
      'change node work-1',
    ]);
  });

  it('the plan of a deletion lists containers first, then nodes, then the shared infrastructure', () => {
    expect(planOf({ type: 'ClusterDeletionRequested', data: { operation } })).toEqual([
      'remove container web',
      'remove node work-0',
      'remove node work-1',
      'remove node lead-0',
      'remove cluster shop',
    ]);
  });

  it.each<[string, ClusterEvent, string]>([
    ['a description', { type: 'ClusterUpdated', data: { changes: { description: 'x' } } }, 'keep'],
    [
      'a network',
      { type: 'ClusterUpdated', data: { changes: { network: {} }, needsDriver: true, operation } },
      'change',
    ],
    ['a pause', { type: 'ClusterPaused', data: {} }, 'keep'],
  ])('the plan of %s has one step for the cluster', (_, event, action) =>
    expect(planOf(event)).toEqual([`${action} cluster shop`]),
  );
});
