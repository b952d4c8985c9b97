import { clusterStream } from '../cluster/evolve-cluster.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { nodeStream } from '../node/evolve-node.js';
import { clusterGroupsStream } from '../registry/cluster-groups.js';
import { AT } from './given.fixture.js';

const strange = { type: 'CreationAbandoned', data: {} } as never;

it.each([
  ['node', () => nodeStream.evolve(nodeStream.initial, strange, AT), nodeStream.initial],
  ['node group', () => nodeGroupStream.evolve(nodeGroupStream.initial, strange, AT), nodeGroupStream.initial],
  ['cluster', () => clusterStream.evolve(clusterStream.initial, strange, AT), clusterStream.initial],
  ['registry', () => clusterGroupsStream.evolve(clusterGroupsStream.initial, strange, AT), clusterGroupsStream.initial],
])('an event that the %s does not know leaves it as it is', (_name, evolve, before) => {
  expect({ ...evolve(), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
});
