import { clusterGroupsStream } from '../cluster/cluster-groups.js';
import { clusterStream } from '../cluster/evolve-cluster.js';
import { containerStream } from '../container/evolve-container.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { nodeStream } from '../node/evolve-node.js';
import { AT } from './given.fixture.js';

const unknown = { type: 'CreationAbandoned', data: {} } as never;

it.each([
  ['node', () => nodeStream.evolve(undefined, unknown, AT)],
  ['node group', () => nodeGroupStream.evolve(undefined, unknown, AT)],
  ['cluster', () => clusterStream.evolve(undefined, unknown, AT)],
  ['container', () => containerStream.evolve(undefined, unknown, AT)],
])('an event of an unknown type creates no %s', (_name, evolve) => {
  expect(evolve()).toBeUndefined();
});

it('an event of an unknown type does not change the state of a registry', () => {
  const { initial } = clusterGroupsStream;
  expect(clusterGroupsStream.evolve(initial, unknown, AT)).toBe(initial);
});
