import { doneOf } from '../task/task-outcomes.fixture.js';
import { actOnContainer, cancelContainerOperation, createContainer, deleteContainer } from './container-decider.js';
import { isPending, rejectionBackoffMs, type ContainerState } from './container-state.js';
import {
  active,
  after,
  claimed,
  created,
  declaration,
  done,
  explanation,
  given,
  operation,
  placed,
  reported,
  types,
} from './container.fixture.js';
import { containerStream } from './evolve-container.js';
import {
  evictContainer,
  loseContainerNode,
  markUnschedulable,
  placeContainer,
  placementRequest,
  removeContainerWithNode,
  reportContainerTask,
} from './schedule-container.js';

describe('creating a container', () => {
  it('the creation of a container is refused without a host, and with a node of another cluster', () => {
    const { hostCluster: _none, ...homeless } = declaration;
    expect(types(createContainer(homeless))).toBe('host-required');
    const elsewhere = { id: 'n9', clusterId: 'other' };
    const bound = { ...declaration, hostNode: 'n9' };
    expect(types(createContainer(bound, elsewhere))).toBe('host-node-not-in-cluster');
    expect(types(createContainer(declaration))).toEqual(['ContainerCreated']);
  });

  it('the creation of a container requests a placement with its resources', () => {
    expect(placementRequest(given(created), [])).toEqual({ id: 'c1', cpus: 1, memoryMb: 100 });
    expect(placementRequest(given(created, placed), [])).toBeUndefined();
  });

  it('a placed container requests one task, and is active when the task is completed', () => {
    const state = given(created, placed);
    expect(state.work.wanted).toMatchObject({ kind: 'container.create', generation: 1, operationId: 's-create' });
    expect(types(reported(claimed(state), doneOf('container.create')))).toEqual([
      'TaskCompleted',
      'ContainerBecameActive',
      'OperationEnded',
    ]);
    expect(active()).toMatchObject({ status: 'ACTIVE', builtGeneration: 1, operations: [] });
  });

  it('a container is placed once, and ignores a second placement', () => {
    expect(types(placeContainer(given(created, placed), { nodeId: 'n2', explanation }))).toEqual([]);
  });

  it('a container records once why no node can take it', () => {
    const why = { reason: 'full', remedy: { codes: [], sentence: 'x' }, refusals: [] };
    const reported = after(given(created), markUnschedulable(given(created), why));
    expect(reported.status).toBe('UNSCHEDULABLE');
    expect(types(markUnschedulable(reported, why))).toEqual([]);
    expect(types(markUnschedulable(reported, { ...why, reason: 'other' }))).toEqual(['ContainerUnschedulable']);
  });

  it('a container avoids a node that lacked resources, each time for longer', () => {
    let state = given(created);
    for (const times of [1, 2, 3]) {
      const tried = claimed(after(state, placeContainer(state, { nodeId: 'n1', explanation })));
      const failure = reported(tried, { type: 'failed', failure: 'capacity', message: 'full' }, 'later');
      expect(types(failure)).toEqual(['TaskFailed', 'ContainerEvictionRequested']);
      state = done(after(tried, failure));
      expect(state.recentlyRejectedBy).toEqual({ n1: { times, since: '2026-01-01T00:00:01Z' } });
      expect(placementRequest(state, ['n1'])).toMatchObject({ avoid: ['n1'] });
      expect(placementRequest(state, ['n1'])).not.toHaveProperty('avoidedFor');
    }
    expect([1, 2, 3, 99].map(rejectionBackoffMs)).toEqual([30_000, 60_000, 120_000, 600_000]);
    expect(state.operations).toHaveLength(1);
    expect(done(after(state, placeContainer(state, { nodeId: 'n2', explanation })))).toMatchObject({
      status: 'ACTIVE',
      recentlyRejectedBy: {},
    });
  });

  it('a container moves away from a node without the driver of its network, which is passed over for ten minutes', () => {
    const state = given(created);
    const tried = claimed(after(state, placeContainer(state, { nodeId: 'n1', explanation })));
    const failed = {
      type: 'failed',
      failure: 'permanent',
      code: 'plugin-missing',
      plugin: 'bridge',
      message: 'no',
    } as const;
    const moving = reported(tried, failed);
    expect(types(moving)).toEqual(['TaskFailed', 'ContainerEvictionRequested']);
    expect(moving).toMatchObject({ events: [{ data: { plugin: 'bridge' } }, {}] });
    const { recentlyRejectedBy, operations } = done(after(tried, moving));
    expect(rejectionBackoffMs(recentlyRejectedBy['n1']?.times ?? 0)).toBe(600_000);
    expect(placementRequest(done(after(tried, moving)), ['n1'])).toMatchObject({ avoidedFor: { n1: 'plugin' } });
    expect(operations).toHaveLength(1);
  });

  it('a container fails with its task, which a start retries', () => {
    const state = claimed(given(created, placed));
    const failed = after(state, reported(state, { type: 'failed', failure: 'permanent', message: 'no image' }));
    expect(failed).toMatchObject({ status: 'FAILED', statusReason: 'no image', operations: [] });
    const again = after(failed, actOnContainer(failed, { action: 'start', operation: operation('start') }));
    expect(again.work.wanted).toMatchObject({ kind: 'container.create', generation: 2 });
  });
});

describe('acting on a container', () => {
  it('an action on a container is refused during another change', () => {
    const stopping = after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') }));
    expect(stopping.work.wanted?.kind).toBe('container.stop');
    expect(types(actOnContainer(stopping, { action: 'start', operation: operation('start') }))).toBe('busy');
    expect(done(stopping)).toMatchObject({ status: 'STOPPED', revision: 2 });
  });

  it('an action on a container requires that it exists, is placed and has the given revision', () => {
    expect(types(actOnContainer(given(created), { action: 'stop', operation: operation('stop') }))).toBe('not-placed');
    expect(types(actOnContainer(active(), { action: 'stop', operation: operation('stop'), ifMatch: 9 }))).toBe(
      'revision-mismatch',
    );
  });
});

describe('a container that must leave its node', () => {
  const leaving = (): ContainerState => after(active(), evictContainer(active(), { nodeId: 'n1', reason: 'drained' }));

  it('a container that must leave its node is removed there under a new generation, then is pending', () => {
    expect(leaving().work.wanted).toMatchObject({ kind: 'container.delete', generation: 2 });
    expect(leaving().nodeId).toBe('n1');
    const left = done(leaving());
    expect(left.nodeId).toBeUndefined();
    expect(isPending(left)).toBe(true);
    expect(containerStream.evolve(left, placed, 't').work.wanted).toMatchObject({
      kind: 'container.create',
      generation: 3,
    });
  });

  it('a container is evicted once, and only from the node that it is on', () => {
    expect(types(evictContainer(leaving(), { nodeId: 'n1', reason: 'drained' }))).toEqual([]);
    expect(types(evictContainer(active(), { nodeId: 'n2', reason: 'drained' }))).toEqual([]);
  });

  it('a container that must leave its node ends its operation under way', () => {
    const stopping = after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') }));
    expect(types(evictContainer(stopping, { nodeId: 'n1', reason: 'drained' }))).toEqual([
      'ContainerEvictionRequested',
      'OperationEnded',
    ]);
  });

  it('a stopped container that must leave its node stays stopped on its next node', () => {
    const stopped = done(after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') })));
    const moved = containerStream.evolve(
      done(after(stopped, evictContainer(stopped, { nodeId: 'n1', reason: 'r' }))),
      placed,
      't',
    );
    expect(done(moved).work.wanted?.kind).toBe('container.stop');
    expect(done(done(moved)).status).toBe('STOPPED');
  });

  it('a container whose removal failed permanently is removed with its node', () => {
    expect(types(removeContainerWithNode(leaving(), 'n1'))).toEqual([]);
    const holding = claimed(leaving());
    const retriesExhausted = after(
      holding,
      reported(holding, { type: 'failed', failure: 'permanent', message: 'no answer' }),
    );
    expect(isPending(after(retriesExhausted, removeContainerWithNode(retriesExhausted, 'n1')))).toBe(true);
    expect(after(retriesExhausted, removeContainerWithNode(retriesExhausted, 'n1')).work).toEqual({});
    const request = { operationId: 'c-1', reason: 'cluster' };
    const deleting = claimed(after(active(), deleteContainer(active(), { ...request })));
    const stuck = after(deleting, reported(deleting, { type: 'failed', failure: 'permanent', message: 'no answer' }));
    expect(types(removeContainerWithNode(stuck, 'n1'))).toEqual(['ContainerDeleted']);
  });

  it('a container fails when the only node that it may run on was removed', () => {
    const lost = after(given(created), loseContainerNode(given(created), 'n1'));
    expect(lost).toMatchObject({ status: 'FAILED', operations: [] });
    expect(isPending(lost)).toBe(false);
  });
});

describe('deleting a container', () => {
  const request = { operationId: 's-delete', operation: operation('delete'), reason: 'asked' };

  it('the deletion of a container without a node ends at once', () => {
    expect(types(deleteContainer(given(created), { ...request }))).toEqual([
      'ContainerDeletionRequested',
      'ContainerDeleted',
      'OperationEnded',
      'OperationEnded',
    ]);
  });

  it('the deletion of a container removes its unit first, even while it is being created', () => {
    const building = claimed(given(created, placed));
    const going = after(building, deleteContainer(building, { ...request }));
    expect(going.work).toMatchObject({ wanted: { kind: 'container.delete', generation: 2 }, claim: { attempt: 1 } });
    expect(types(reported(going))).toEqual(['TaskReleased']);
    const gone = done(after(going, reported(going)));
    expect(gone).toMatchObject({ deleted: true, operations: [] });
  });

  it('a repeated deletion of a container is refused for an operator, and has no effect for the system', () => {
    const going = after(active(), deleteContainer(active(), { ...request }));
    expect(types(deleteContainer(going, { ...request }))).toBe('being-deleted');
    expect(types(deleteContainer(going, { operationId: 'c-1', reason: 'cluster' }))).toEqual([]);
  });

  it('a cancelled creation deletes the container, and other operations cannot be cancelled', () => {
    const cancelled = after(given(created), cancelContainerOperation(given(created), 's-create'));
    expect(cancelled).toMatchObject({ deleted: true, operations: [] });
    const stopping = after(active(), actOnContainer(active(), { action: 'stop', operation: operation('stop') }));
    expect(types(cancelContainerOperation(stopping, 's-stop'))).toBe('not-cancellable');
  });
});

it('a container refuses a report that does not match the current claim', () => {
  const state = claimed(given(created, placed));
  const outcome = doneOf('container.create');
  const report = { taskId: state.work.claim!.taskId, attempt: 2, conductor: 'x', session: 's', outcome };
  expect(types(reportContainerTask(report, state))).toBe('stale');
});
