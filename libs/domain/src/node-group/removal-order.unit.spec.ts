import { AT, foldAll } from '../kernel/given.fixture.js';
import { nodeGroupStream } from './evolve-node-group.js';
import { spec } from './group-simulation.fixture.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { defaultUpdateStrategy } from './node-group-spec.js';
import { reconcileNodeGroup } from './reconcile-node-group.js';

const created: NodeGroupEvent = {
  type: 'NodeGroupCreated',
  data: {
    ...{ id: 'g', clusterId: 'c', projectId: 'p', name: 'web', operationId: 'op0' },
    spec: { ...spec(6, ['a', 'b']), updateStrategy: defaultUpdateStrategy },
  },
};
const nodes = Array.from({ length: 6 }, (_, ordinal) => ({
  id: `n${ordinal}`,
  ordinal,
  zone: 'ab'[ordinal % 2] ?? '',
}));
const added: NodeGroupEvent = { type: 'NodesAdded', data: { nodes, reason: 'count', operationId: 'op0' } };

/** Returns the nodes that go when six become `count`. */
function removed(count: number, removalOrder?: readonly string[]): readonly string[] {
  const operation = { id: 'op1', kind: 'node-group.resize', total: 6 - count };
  const resized: NodeGroupEvent = { type: 'NodeGroupResized', data: { count, operation } };
  const events = reconcileNodeGroup(foldAll(nodeGroupStream, [created, added, resized]), {
    nodes: () => ({ ready: true, deleted: false }),
    freshIds: () => [],
    now: AT,
    ...(removalOrder && { removalOrder }),
  });
  return events.flatMap(event => (event.type === 'NodeRemovalAccepted' ? event.data.nodeIds : []));
}

describe('the order in which nodes go', () => {
  it.each([
    ['without advice: the youngest of the fullest zone', undefined, ['n5', 'n4']],
    ['by advice, as many as are to go', ['n1', 'n3', 'n0'], ['n1', 'n3']],
    ['by advice, and even zones for the rest', ['n1'], ['n1', 'n4']],
    ['without ids that are unknown or repeated', ['x', 'n2', 'n2', 'y'], ['n2', 'n5']],
    ['without any advice', [], ['n5', 'n4']],
  ])('%s', (_what, order, gone) => {
    expect(removed(4, order)).toEqual(gone);
  });
});
