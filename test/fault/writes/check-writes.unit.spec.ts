import type { RecordedEvent } from '@stave/platform';
import { checkWrites, contains } from './check-writes.js';
import type { AcknowledgedWrite } from './write.js';

const create: AcknowledgedWrite = {
  key: 'k1',
  kind: 'create',
  method: 'POST',
  path: '/v1/clusters',
  effect: { category: 'cluster', type: 'ClusterCreated', data: { name: 'one' } },
  resourceId: 'a',
};
const resize: AcknowledgedWrite = {
  key: 'k2',
  kind: 'resize',
  method: 'POST',
  path: '/v1/clusters/a/node-groups/w/actions/resize',
  effect: { category: 'nodeGroup', type: 'NodeGroupResized', data: { count: 2 } },
  resourceId: 'g',
};

let position = 0;
function event(stream: string, type: string, data: object, key?: string, cause?: string): RecordedEvent {
  position += 1;
  const metadata = { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'c' };
  const optional = { ...(key && { idempotencyKey: key }), ...(cause && { causationId: cause }) };
  return { id: `${position}`, type, data, stream, revision: 0, position, metadata: { ...metadata, ...optional } };
}

const accepted = (requestId: string): RecordedEvent =>
  event(`idempotency-${requestId}`, 'RequestAccepted', { requestId });
const created = (stream = 'cluster-a', key = 'k1', cause = 'r1', name = 'one'): RecordedEvent =>
  event(stream, 'ClusterCreated', { name, operation: { id: 'o1' } }, key, cause);
const resized = (count = 2): RecordedEvent => event('nodeGroup-g', 'NodeGroupResized', { count }, 'k2', 'r2');
const group = (): RecordedEvent => event('nodeGroup-g', 'NodeGroupCreated', { name: 'w', clusterId: 'a' });
const ended = (): RecordedEvent => event('cluster-a', 'OperationEnded', { operationId: 'o1' });
const complete = (): RecordedEvent[] => [accepted('r1'), created(), group(), accepted('r2'), resized(), ended()];
const wrong = (events: readonly RecordedEvent[]): readonly string[] => checkWrites(events, [create, resize]);

describe('checkWrites', () => {
  it('finds nothing in a log that has every acknowledged write once', () => {
    expect(wrong(complete())).toEqual([]);
  });

  it.each<[string, (events: RecordedEvent[]) => RecordedEvent[], RegExp]>([
    ['a lost write', e => e.filter(({ type }) => type !== 'NodeGroupResized'), /k2 was acknowledged and is lost/],
    ['a write that was made twice', e => [...e, resized()], /k2 is 2 times in the log/],
    ['a write in another resource', e => [accepted('r1'), created('cluster-b'), ...e.slice(2)], /k1 is in cluster-b/],
    [
      'other contents',
      e => [...e.filter(({ type }) => type !== 'NodeGroupResized'), resized(3)],
      /k2 has other contents/,
    ],
    ['a request that was accepted twice', e => [...e, accepted('r2')], /k2 has 2 accepted requests/],
    ['an effect without an accepted request', e => e.slice(1), /k1 has 0 accepted requests/],
    ['a resource that nobody requested', e => [...e, created('cluster-x', 'k9', 'r9')], /nobody requested cluster-x/],
    ['a request that nobody saw acknowledged', e => [...e, accepted('r9')], /3 requests were accepted, 2/],
    ['a group that was created twice', e => [...e, group()], /w of cluster a was created 2 times/],
    ['an operation that did not end', e => e.slice(0, -1), /operation o1 ended 0 times/],
    ['an operation that ended twice', e => [...e, ended()], /operation o1 ended 2 times/],
  ])('finds %s', (_what, change, message) => {
    expect(wrong(change(complete()))).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });
});

describe('contains', () => {
  it.each([
    [{ a: 1, b: { c: [1, { d: 2 }] } }, { b: { c: [1, {}] } }, true],
    [{ labels: { a: '1', b: '2' } }, { labels: { a: '1' } }, true],
    [{ labels: { a: '1' } }, { labels: { a: '2' } }, false],
    [{ list: [1, 2] }, { list: [1] }, false],
    [undefined, {}, false],
    [null, null, true],
  ])('of %j and %j is %j', (found, wanted, expected) => expect(contains(found, wanted)).toBe(expected));
});
