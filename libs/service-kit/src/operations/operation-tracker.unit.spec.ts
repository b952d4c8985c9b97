import type { DomainEvent } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import { publicDocument } from '../read-models/list-query.js';
import { OperationTracker, stepsOf } from './operation-tracker.js';

const OP = 'c-1';
let position = 0;
const time = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, position)).toISOString();

function event(stream: string, { type, data }: DomainEvent, operationId?: string): RecordedEvent {
  position++;
  const metadata = { correlationId: 'r', schemaVersion: 1, time: time(), project: 'p', clusterId: 'c' };
  return {
    id: `e${position}`,
    stream,
    revision: position,
    position,
    type,
    data: data as object,
    metadata: { ...metadata, ...(operationId === undefined ? {} : { operationId }) },
  };
}

const started = (total = 2, id = OP): RecordedEvent =>
  event('cluster-c', { type: 'ClusterCreated', data: { operation: { id, kind: 'cluster.create', total } } });
const ended = (status: string, error?: object): RecordedEvent =>
  event('cluster-c', { type: 'OperationEnded', data: { operationId: OP, status, ...(error && { error }) } });
const fact = (type: string, taskId: string, more: object = {}): RecordedEvent =>
  event('node-n', { type, data: { taskId, kind: 'node.create', attempt: 1, ...more } }, OP);

function tracker(...events: readonly RecordedEvent[]): OperationTracker {
  const fresh = new OperationTracker('c-', () => undefined);
  for (const one of events) fresh.apply(one);
  return fresh;
}
function documentOf(operations: OperationTracker): Record<string, unknown> {
  const stored = operations.document(OP);
  if (!stored) throw new Error('there is no such operation');
  return { ...publicDocument(stored) };
}

describe('an operation', () => {
  it('an operation belongs to the service that accepted it, and other services ignore it', () => {
    expect(tracker(started(1, 'n-1')).get('n-1')).toBeUndefined();
  });

  it('an event of the audit, which names the operation of the API, starts none', () => {
    const audited = event('audit-changes', { type: 'ChangeAudited', data: { operation: 'createCluster' } });
    expect(tracker(audited, started()).document(OP)).toBeDefined();
  });

  it('an operation ends in the stream of its target only, and not with its parts in other streams', () => {
    const part = event('nodeGroup-g', { type: 'OperationEnded', data: { operationId: OP, status: 'SUCCEEDED' } }, OP);
    const open = tracker(started(), part);
    expect(documentOf(open)).toMatchObject({ status: 'PENDING' });
    open.apply(ended('FAILED'));
    expect(documentOf(open)).toMatchObject({ status: 'FAILED' });
  });

  it('a step has the code of its last failure: that of the driver, else one made from the class', () => {
    const stepOf = (...events: readonly RecordedEvent[]) => documentOf(tracker(started(), ...events))['steps'];
    const failed = (more: object) => fact('TaskFailed', 't1', { message: 'no', retryAt: 'later', ...more });
    const own = failed({ failure: 'capacity', code: 'quota-exceeded' });
    expect(stepOf(own)).toMatchObject([{ status: 'RETRYING', lastError: 'no', lastErrorCode: 'quota-exceeded' }]);
    const next = fact('TaskClaimed', 't1', { attempt: 2 });
    expect(stepOf(own, next)).toMatchObject([{ status: 'RUNNING', lastErrorCode: 'quota-exceeded' }]);
    const plain = failed({ failure: 'notFound', attempt: 2 });
    expect(stepOf(own, next, plain)).toMatchObject([{ lastErrorCode: 'driver-not-found' }]);
    expect(stepOf(next)).toMatchObject([{ name: 'node.create n', attempts: 2, status: 'RUNNING' }]);
  });

  it('an operation is pending, runs step by step, and succeeds', () => {
    expect(documentOf(tracker(started()))).toMatchObject({
      status: 'PENDING',
      target: { type: 'cluster', id: 'c' },
      projectId: 'p',
      progress: { done: 0, total: 2, percent: 0 },
    });
    const half = tracker(started(), fact('TaskClaimed', 't1'), fact('TaskCompleted', 't1'), fact('TaskClaimed', 't2'));
    expect(documentOf(half)).toMatchObject({
      status: 'RUNNING',
      progress: { done: 1, total: 2, percent: 50 },
      steps: [{ status: 'RUNNING' }, { status: 'DONE', name: 'node.create n' }],
    });
    half.apply(ended('SUCCEEDED'));
    expect(documentOf(half)).toMatchObject({ status: 'SUCCEEDED', progress: { done: 2, total: 2, percent: 100 } });
  });

  it('an operation shows its attempts and the last error', () => {
    const failed = { message: 'no answer', failure: 'transient' };
    const retrying = tracker(started(), fact('TaskFailed', 't1', { ...failed, retryAt: 'soon' }));
    expect(documentOf(retrying)['steps']).toMatchObject([{ status: 'RETRYING', attempts: 1, lastError: 'no answer' }]);
    retrying.apply(fact('TaskClaimed', 't1', { attempt: 2 }));
    expect(documentOf(retrying)['steps']).toMatchObject([{ status: 'RUNNING', attempts: 2, lastError: 'no answer' }]);
    retrying.apply(fact('TaskFailed', 't1', { ...failed, attempt: 2 }));
    expect(documentOf(retrying)['steps']).toMatchObject([{ status: 'FAILED' }]);
  });

  it('an operation shows a released step as pending until it is claimed again', () => {
    const given = tracker(started(), fact('TaskClaimed', 't1'), fact('TaskReleased', 't1', { reason: 'draining' }));
    expect(documentOf(given)['steps']).toMatchObject([{ status: 'PENDING', attempts: 1 }]);
  });

  it('an operation ends once, and later events do not change it', () => {
    const over = tracker(started(), ended('FAILED', { code: 'permanent', detail: 'no quota' }), ended('SUCCEEDED'));
    over.apply(fact('TaskCompleted', 't1'));
    expect(documentOf(over)).toMatchObject({
      status: 'FAILED',
      error: { code: 'permanent', detail: 'no quota' },
      progress: { done: 0 },
    });
  });

  it('an operation lists a limited number of steps, those not done first', () => {
    const many = tracker(started(300));
    for (let i = 0; i < 300; i++) many.apply(fact(i < 150 ? 'TaskCompleted' : 'TaskClaimed', `t${i}`));
    const steps = documentOf(many)['steps'] as { readonly status: string }[];
    expect(steps).toHaveLength(200);
    expect(steps.filter(s => s.status === 'RUNNING')).toHaveLength(150);
    expect(documentOf(many)['progress']).toEqual({ done: 150, total: 300, percent: 50 });
  });

  it('a step shows its resource, its conductor, its times and its next attempt', () => {
    const stepsAfter = (...events: readonly RecordedEvent[]) => documentOf(tracker(started(), ...events))['steps'];
    const claim = fact('TaskClaimed', 't1', { conductor: 'conductor-1' });
    const at = { name: 'node.create n', resource: { type: 'node', id: 'n' }, startedAt: claim.metadata.time };
    const failed = fact('TaskFailed', 't1', { message: 'no', failure: 'transient', retryAt: 'later' });
    expect(stepsAfter(claim, failed)).toMatchObject([{ ...at, conductor: 'conductor-1', nextAttemptAt: 'later' }]);
    const again = fact('TaskClaimed', 't1', { conductor: 'conductor-2', attempt: 2 });
    const done = fact('TaskCompleted', 't1', { attempt: 2 });
    const finished = { ...at, conductor: 'conductor-2', finishedAt: done.metadata.time, status: 'DONE' };
    const [step] = stepsAfter(claim, failed, again, done) as readonly object[];
    expect(step).toMatchObject(finished);
    expect(step).not.toHaveProperty('nextAttemptAt');
  });

  it('all steps of an operation that has ended are kept, also those that its document does not list', () => {
    const many = tracker(started(300));
    for (let i = 0; i < 300; i++)
      many.apply(fact(i === 7 ? 'TaskClaimed' : 'TaskCompleted', `t${i}`, { kind: `k${i}` }));
    many.apply(ended('SUCCEEDED'));
    const stored = many.document(OP);
    expect(stepsOf(stored ?? { _id: '' }).map(({ name }) => name)).toEqual([...Array(300).keys()].map(i => `k${i} n`));
    expect(documentOf(many)).not.toHaveProperty('hidden');
    expect(documentOf(many)['steps']).toHaveLength(200);
  });

  it('an operation that has ended shows the same steps, in a tenth of the memory, until it is dropped', () => {
    const many = tracker(started(150));
    for (let i = 0; i < 150; i++) many.apply(fact('TaskCompleted', `t${i}`));
    const before = documentOf(many)['steps'];
    many.apply(ended('SUCCEEDED'));
    expect(many.get(OP)).toBeUndefined();
    expect(documentOf(many)['steps']).toEqual(before);
    expect(JSON.stringify(many.document(OP)).length * 10).toBeLessThan(JSON.stringify(before).length);
    expect([...many.positions()]).toHaveLength(1);
    many.drop(() => true);
    expect(many.document(OP)).toBeUndefined();
    expect([...many.positions()]).toHaveLength(0);
  });

  it('an operation resolves waiting calls when it ends, and not before', async () => {
    const waiting = tracker(started());
    const seen: string[] = [];
    const wait = waiting.waitForEnd(OP, 60_000).then(() => seen.push('over'));
    waiting.apply(fact('TaskClaimed', 't1'));
    await Promise.resolve();
    seen.push('running');
    waiting.apply(ended('SUCCEEDED'));
    await wait;
    expect(seen).toEqual(['running', 'over']);
    await expect(waiting.waitForEnd(OP, 60_000)).resolves.toBeUndefined();
  });
});
