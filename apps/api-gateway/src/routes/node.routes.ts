import { alike, closed, exact, listOf, named, primitives as p } from '@stave/contracts/schemas';
import type { NodeStatus } from '@stave/domain';
import { awaitedRelease } from '../schemas/awaited-release.schema.js';
import { labelledList, unionOf } from '../schemas/list-fields.js';
import { resource } from '../schemas/resource.schema.js';
import { nodeSpecFilters } from './node-group.routes.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';

const status = unionOf<NodeStatus>()(
  'CREATING',
  'ACTIVE',
  'UPDATING',
  'FAILED',
  'DRAINING',
  'REBOOTING',
  'UNREACHABLE',
  'DELETING',
);

const sample = { at: p.dateTime, cpuCores: p.anyNumber, memoryMb: p.anyNumber };
const history = { ...listOf(exact(sample)), description: 'in a read of one node' };

const node = named(
  'Node',
  resource(
    {
      ...p.texts('nodeGroupId', 'clusterId'),
      ...p.integers('ordinal', 'attempts', 'generation'),
      role: p.role,
      flavor: p.flavor,
      labels: p.labels,
      taints: p.taints,
      addresses: listOf(p.anyString),
      status,
      schedulable: p.anyBoolean,
    },
    {
      volumes: p.nodeVolumes,
      ...p.texts(
        'machineId',
        'zone',
        'region',
        'image',
        'infrastructureId',
        'engineVersion',
        'statusReason',
        'conductorGroup',
      ),
      release: awaitedRelease,
      capacity: closed({ cpus: p.anyNumber, memoryMb: p.anyNumber }),
      utilisation: { anyOf: [{ const: 'unknown' }, exact(sample, { history })] },
    },
  ),
);

const nodes = {
  resource: 'node',
  schema: node,
  list: labelledList(
    {
      ...alike('reference', 'clusterId', 'nodeGroupId'),
      status,
      role: 'exact',
      ...alike('text', 'zone', 'region', 'conductorGroup'),
      ...nodeSpecFilters,
      ...alike('text', 'engineVersion', 'infrastructureId', 'addresses', 'taints.key'),
      ordinal: 'number',
      schedulable: 'boolean',
      machineId: 'reference',
    },
    ['status', 'role', 'ordinal', 'zone', 'region', 'image', 'attempts', 'clusterId', 'nodeGroupId'],
  ),
} as const satisfies ResourceDeclaration;

export const nodeRoutes = [
  ...resourceRoutes({
    ...nodes,
    examples: { drain: { deadline: '2030-01-01T00:00:00Z' }, reboot: { type: 'soft' } },
  }),
  ...resourceRoutes({ ...nodes, one: 'clusterNode', path: '/v1/clusters/:clusterId/nodes', listOnly: true }),
];
