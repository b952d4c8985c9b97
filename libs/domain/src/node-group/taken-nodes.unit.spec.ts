import { nodeStream } from '../node/evolve-node.js';
import { rebuildNodeGroup, retryNodeGroup } from './group-actions.js';
import { active, take } from './group-decisions.fixture.js';
import { deleteNodeGroup, removeMember, replaceMember, resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { isTakenByGroup, takenNodes } from './taken-nodes.js';

const begin = (id: string, more: object = {}) => ({ id, kind: `node-group.${id}`, total: 1, ...more });
const discards = { discardVolumes: true } as const;
const eventsOf = (decision: ReturnType<typeof removeMember>): readonly NodeGroupEvent[] =>
  decision.ok ? decision.events : [];

describe('the nodes that events of a group take', () => {
  it('are the node whose removal is requested, with the permission of the request, and once', () => {
    const group = active(3);
    const [nodeId = ''] = group.memberIds();
    const removal = (more: object = {}) => removeMember(group.state, { nodeId, operation: begin('remove', more) });
    expect(takenNodes(group.state, eventsOf(removal()))).toEqual([{ nodeId, discards: false }]);
    expect(takenNodes(group.state, eventsOf(removal(discards)))).toEqual([{ nodeId, discards: true }]);
    take(group, removal());
    const again = { nodeIds: [nodeId], count: 2, reason: 'tried again', operationId: 'again' };
    expect(takenNodes(group.state, [{ type: 'NodeRemovalAccepted', data: again }])).toEqual([]);
  });

  it('are those that wait for their release, which takes nothing further', () => {
    const group = active(1);
    const [nodeId = ''] = group.memberIds();
    const hook = { timeoutSeconds: 60, onTimeout: 'proceed' } as const;
    const waiting = eventsOf(removeMember(group.state, { nodeId, operation: begin('remove'), hook }));
    expect(waiting.map(({ type }) => type)).toEqual(['NodesReleaseAwaited']);
    expect(takenNodes(group.state, waiting)).toHaveLength(1);
    group.append(...waiting);
    const removal = { nodeIds: [nodeId], count: 0, reason: 'removed', operationId: 'remove' };
    expect(takenNodes(group.state, [{ type: 'NodeRemovalAccepted', data: removal }])).toEqual([]);
  });

  it('are all with the group, and none by its reconciliation afterwards', () => {
    const group = active(2);
    const deletion = (more: object) => {
      const operation = begin('delete', more);
      return deleteNodeGroup(group.state, { operationId: 'delete', operation });
    };
    expect(takenNodes(group.state, eventsOf(deletion({})))).toHaveLength(2);
    expect(takenNodes(group.state, eventsOf(deletion(discards))).every(node => node.discards)).toBe(true);
    take(group, deletion({}));
    expect(takenNodes(group.state, group.next())).toEqual([]);
  });

  it('are those of a batch that is rebuilt, and with the permission of its rollout', () => {
    const group = active(2);
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    expect(takenNodes(group.state, group.next())).toEqual([{ nodeId: group.memberIds()[0], discards: false }]);
    const allowed = active(1);
    take(allowed, rebuildNodeGroup(allowed.state, { operation: begin('rebuild', discards) }));
    expect(takenNodes(allowed.state, allowed.next())).toMatchObject([{ discards: true }]);
  });

  it('are none in a resize, a replacement and a retry, which leave the choice or the time open', () => {
    const group = active(2);
    const [nodeId = ''] = group.memberIds();
    const decisions = [
      resizeNodeGroup(group.state, { count: 1, operation: begin('resize') }),
      replaceMember(group.state, { nodeId, successorId: 'next', operation: begin('replace') }),
      retryNodeGroup(group.state, { operation: begin('retry') }),
    ];
    expect(decisions.flatMap(decision => takenNodes(group.state, eventsOf(decision)))).toEqual([]);
  });
});

describe('a node of a group', () => {
  const nodeOf = (id: string, ...events: readonly object[]) => {
    const declared = {
      id,
      name: 'web-0',
      nodeGroupId: 'g',
      clusterId: 'c',
      projectId: 'p',
      spec: {},
      operationId: 'o',
    };
    const all = [{ type: 'NodeDeclared', data: declared }, ...events];
    const state = all.reduce<ReturnType<typeof nodeStream.evolve>>(
      (s, event) => nodeStream.evolve(s, event as never, ''),
      undefined,
    );
    if (!state) throw new Error('the node does not exist');
    return state;
  };

  it('is taken from the batch in which it is to be rebuilt until it has begun with that', () => {
    const group = active(1);
    const [id = ''] = group.memberIds();
    expect(isTakenByGroup(group.state, nodeOf(id))).toBe(false);
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    expect(isTakenByGroup(group.state, nodeOf(id))).toBe(false);
    group.append(...group.next());
    expect(isTakenByGroup(group.state, nodeOf(id))).toBe(true);
    const rolloutId = group.state.rollout?.id;
    const begun = { type: 'NodeRolloutRequested', data: { rolloutId, kind: 'rebuild', operationId: 'rebuild' } };
    expect(isTakenByGroup(group.state, nodeOf(id, begun))).toBe(false);
  });

  it('is taken by its removal, and by that of its group', () => {
    const group = active(2);
    const [first = '', second = ''] = group.memberIds();
    take(group, removeMember(group.state, { nodeId: first, operation: begin('remove') }));
    expect([first, second].map(id => isTakenByGroup(group.state, nodeOf(id)))).toEqual([true, false]);
    take(group, deleteNodeGroup(group.state, { operationId: 'delete', operation: begin('delete') }));
    expect(isTakenByGroup(group.state, nodeOf(second))).toBe(true);
    expect(isTakenByGroup(group.state, nodeOf('of another group'))).toBe(false);
  });
});
