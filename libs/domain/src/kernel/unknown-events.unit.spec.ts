import { clusterGroupsStream } from '../cluster/cluster-groups.js';
import { clusterStream } from '../cluster/evolve-cluster.js';
import { containerStream } from '../container/evolve-container.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { nodeStream } from '../node/evolve-node.js';
import { AT } from './given.fixture.js';

const unknown = { type: 'CreationAbandoned', data: {} } as never;

it.each([
  ['node', () => nodeStream.evolve(nodeStream.initial, unknown, AT), nodeStream.initial],
  ['node group', () => nodeGroupStream.evolve(nodeGroupStream.initial, unknown, AT), nodeGroupStream.initial],
  ['cluster', () => clusterStream.evolve(clusterStream.initial, unknown, AT), clusterStream.initial],
  ['container', () => containerStream.evolve(containerStream.initial, unknown, AT), containerStream.initial],
  ['registry', () => clusterGroupsStream.evolve(clusterGroupsStream.initial, unknown, AT), clusterGroupsStream.initial],
])('an event of an unknown type leaves the state of a %s as it is', (_name, evolve, before) => {
  expect(evolve()).toEqual(before);
});
