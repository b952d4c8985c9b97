import { evolveCluster, initialCluster } from '../cluster/index.js';
import { evolveNodeGroup, initialNodeGroup } from '../node-group/index.js';
import { evolveNode, initialNode } from '../node/index.js';
import { evolveClusterGroups, initialClusterGroups } from '../registry/index.js';
import { AT } from './given.fixture.js';

const strange = { type: 'CreationAbandoned', data: {} } as never;

it.each([
  ['node', () => evolveNode(initialNode, strange, AT), initialNode],
  ['node group', () => evolveNodeGroup(initialNodeGroup, strange, AT), initialNodeGroup],
  ['cluster', () => evolveCluster(initialCluster, strange, AT), initialCluster],
  ['registry', () => evolveClusterGroups(initialClusterGroups, strange), initialClusterGroups],
])('an event that the %s does not know leaves it as it is', (_name, evolve, before) => {
  expect({ ...evolve(), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
});
