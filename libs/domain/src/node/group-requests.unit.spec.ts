import { given } from '../kernel/given.fixture.js';
import { memberView } from '../node-group/member-view.js';
import { abandonNode, requestNodeRollout, updateNodeMetadata } from './group-requests.js';
import type { NodeEvent } from './node-events.js';
import { nodeEvictionReason, type NodeState } from './node-state.js';
import { active, broken, declared, done, fold, node, operation, remove, then, work } from './node.fixture.js';
import { expectedNodeUnit, observeNode } from './observe-node.js';
import * as decide from './node-decider.js';

const turn = (id: string, kind: 'rebuild' | 'softReboot' | 'hardReboot') => (s: NodeState) =>
  requestNodeRollout(s, { rolloutId: id, kind, operationId: 'op5' });
const tag =
  (metadataGeneration: number, operationId = 'op6') =>
  (s: NodeState) =>
    updateNodeMetadata(s, { metadataGeneration, labels: { a: String(metadataGeneration) }, taints: [] }, operationId);
const drained: NodeEvent = { type: 'NodeDrained', data: {} };
const refused = { type: 'failed', failure: 'unsupported', message: 'no labels' } as const;

describe('a rollout request to a node', () => {
  it('a rollout request rebuilds the node once its containers have left, takes it out of service meanwhile, and ends no operation', () => {
    const reported = then(active, turn('t1', 'rebuild'));
    expect(nodeEvictionReason(fold(reported))).toBe('rebuilt');
    expect(memberView(fold(reported))).toMatchObject({ ready: true, busy: true });
    const built = work([...reported, drained], done);
    expect(built.filter(e => e.type === 'OperationEnded')).toEqual([]);
    expect(fold(built)).toMatchObject({ status: 'ACTIVE', schedulable: true, rollout: { id: 't1', done: true } });
    expect(memberView(fold(built))).toMatchObject({ completedRolloutId: 't1' });
    expect(memberView(fold(built)).busy).toBeUndefined();
  });

  it('a rollout request reboots the node once, and requests of operators are refused meanwhile', () => {
    const reported = then(active, turn('t1', 'hardReboot'));
    expect(fold(reported)).toMatchObject({ status: 'REBOOTING', work: { wanted: { kind: 'node.hardReboot' } } });
    given(node, ...reported)
      .when(turn('t1', 'hardReboot'))
      .then();
    given(node, ...reported)
      .when(s => decide.rebootNode(s, { operation: operation('p'), type: 'soft' }))
      .thenRefused('busy');
    given(node, ...then(active, turn('t1', 'rebuild')))
      .when(s => decide.drainNode(s, { operation: operation('p') }))
      .thenRefused('busy');
    expect(fold(work(reported, broken))).toMatchObject({ status: 'FAILED', rollout: { done: false } });
    expect(memberView(fold(work(reported, broken))).failed).toMatchObject({ class: 'permanent' });
  });

  it('a rollout request is not accepted while other work runs at the node or the node is not built', () => {
    const rebooting = then(active, s => decide.rebootNode(s, { operation: operation('p'), type: 'soft' }));
    for (const events of [declared, rebooting, then(active, remove), work(declared, broken)])
      given(node, ...events)
        .when(turn('t1', 'softReboot'))
        .then();
    given(node, ...work(rebooting, done))
      .when(turn('t1', 'softReboot'))
      .thenTypes('NodeRolloutRequested');
  });
});

describe('an update of labels and taints of a node', () => {
  it('an update of labels and taints is a task that leaves the node in service', () => {
    const reported = then(active, tag(1));
    expect(fold(reported)).toMatchObject({ status: 'ACTIVE', work: { wanted: { kind: 'node.update' } } });
    expect(memberView(fold(reported), 1)).toMatchObject({ ready: true, hasOutdatedMetadata: true });
    const updated = work(reported, done);
    expect(updated.slice(reported.length).map(e => e.type)).toEqual(['TaskClaimed', 'TaskCompleted']);
    expect(fold(updated)).toMatchObject({
      declared: { metadataGeneration: 1, spec: { labels: { a: '1' } } },
      work: {},
    });
    expect(memberView(fold(updated), 1).hasOutdatedMetadata).toBeUndefined();
  });

  it('an update of labels and taints waits for other work, and does not delay requests of operators', () => {
    given(node, ...declared)
      .when(tag(1))
      .then();
    given(node, ...then(active, turn('t', 'rebuild')))
      .when(tag(1))
      .then();
    const rebooting = then(then(active, tag(1)), s =>
      decide.rebootNode(s, { operation: operation('p'), type: 'soft' }),
    );
    expect(fold(work(rebooting, done)).declared.metadataGeneration).toBeUndefined();
    given(node, ...work(rebooting, done))
      .when(tag(1))
      .thenTypes('NodeUpdateRequested');
  });

  it('an update of labels and taints that the driver refuses leaves the node in service until another operation requests it', () => {
    const failed = work(then(active, tag(1)), broken);
    expect(fold(failed)).toMatchObject({
      status: 'ACTIVE',
      metadataUpdateFailure: { operationId: 'op6', reason: 'no' },
      work: {},
    });
    given(node, ...failed)
      .when(tag(1))
      .then();
    given(node, ...failed)
      .when(tag(1, 'op7'))
      .thenTypes('NodeUpdateRequested');
    expect(fold(work(then(failed, tag(1, 'op7')), done)).metadataUpdateFailure).toBeUndefined();
  });

  it('an update contains the options only if they differ from those of the node, and the node has them afterwards', () => {
    const metadata = { metadataGeneration: 1, labels: {}, taints: [] };
    const { options } = fold(active).declared.spec;
    const requested = (given: typeof options) =>
      then(active, s => updateNodeMetadata(s, { ...metadata, options: given }, 'op')).at(-1)?.data;
    expect(requested(options)).not.toHaveProperty('options');
    expect(requested({ tier: 'gold' })).toMatchObject({ options: { tier: 'gold' } });
    const updated = then(active, s => updateNodeMetadata(s, { ...metadata, options: { tier: 'gold' } }, 'op'));
    expect(fold(work(updated, done)).declared.spec.options).toEqual({ tier: 'gold' });
  });

  it('an update of labels and taints ends when the node becomes unreachable', () => {
    const reported = then(active, tag(1));
    const { generation } = fold(reported);
    expect(expectedNodeUnit(fold(reported))).toEqual({ state: 'running' });
    const lost = then(reported, s => observeNode(s, { generation, state: 'missing' }));
    expect(fold(lost)).toMatchObject({ status: 'UNREACHABLE', work: {} });
    given(node, ...lost)
      .when(tag(1))
      .then();
    expect(expectedNodeUnit(fold(then(active, turn('t', 'softReboot'))))).toBeUndefined();
  });

  it('an update of labels and taints is only recorded when the driver does not support it', () => {
    const here = work(then(active, tag(1)), refused);
    expect(fold(here)).toMatchObject({
      status: 'ACTIVE',
      declared: { metadataGeneration: 1, spec: { labels: { a: '1' } } },
      work: {},
    });
    expect(fold(here).metadataUpdateFailure).toBeUndefined();
  });
});

it('a node is abandoned only after its removal has failed, and the event names what may be left', () => {
  given(node, ...then(active, remove))
    .when(abandonNode)
    .then();
  const stuck = work([...then(active, remove), drained], broken);
  const gone = then(stuck, abandonNode);
  expect(gone.at(-1)).toEqual({
    type: 'NodeDeleted',
    data: { nodeGroupId: 'g', abandoned: { reason: 'no', infrastructureId: 'node-1' } },
  });
  expect(memberView(fold(gone))).toMatchObject({ deleted: true, abandoned: 'no' });
  given(node, ...gone)
    .when(abandonNode)
    .then();
});
