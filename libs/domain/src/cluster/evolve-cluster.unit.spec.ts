import type { ClusterCreated } from './cluster-events.js';
import { foldAll } from '../kernel/given.fixture.js';
import { clusterStream } from './evolve-cluster.js';

const origins = { role: { from: 'request' } } as const;
const source = { type: 'nodeGroup', id: 's', name: 'old' } as const;
const spec = {
  role: 'worker',
  count: 1,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 512 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
} as const;
const data: ClusterCreated['data'] = {
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
  groups: [{ id: 'g', name: 'web', spec, source, origins }],
  operation: { id: 'o', kind: 'cluster.create', total: 2 },
  origins: { driver: { from: 'request' } },
};

it('the state of a cluster keeps the origins of the values of its groups until these are created', () => {
  const created = foldAll(clusterStream, [{ type: 'ClusterCreated', data }]);
  expect(created.created).not.toHaveProperty('origins');
  expect(created.created.groups).toEqual(data.groups);
  const active = clusterStream.evolve(created, { type: 'ClusterBecameActive', data: {} }, 't');
  expect(active.created.groups).toEqual([{ id: 'g', name: 'web', spec }]);
});
