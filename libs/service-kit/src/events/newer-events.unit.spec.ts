import { RefusedError } from '@stave/contracts';
import { categoryOf, type RecordedEvent } from '@stave/platform';
import { knownVersion } from './known-events.js';
import { NewerEvents } from './newer-events.js';

const event = (stream: string, type: string, schemaVersion = 1): RecordedEvent => ({
  ...{ id: 'e', stream, type, data: {}, revision: 0, position: 0 },
  metadata: { schemaVersion, time: 't', correlationId: 'c' },
});

/** nodegroup-service, and what it logs. */
function service() {
  const logged: (readonly [level: string, fields: object])[] = [];
  const note = (level: string) => (fields: object) => void logged.push([level, fields]);
  const log = { error: note('error'), warn: note('warn') } as never;
  return { logged, newer: new NewerEvents({ service: 'nodegroup-service', log }) };
}

describe('the events that a release knows', () => {
  it.each([
    ['of a published stream', 'node-1', 'NodeDeclared', 1],
    ['of the ring, whose stream has no id', 'conductorRing', 'ConductorJoined', 1],
    ['of an internal stream', 'clusterGroups-1', 'NodeGroupRegistered', 1],
    ['of a stream that no service folds', 'installation', 'InstallationCreated', 1],
  ])('include an event %s', (_what, stream, type, version) => {
    expect(knownVersion(categoryOf(stream), type)).toBe(version);
  });

  it('are known for their own stream only', () => {
    expect(knownVersion('cluster', 'NodeDeclared')).toBe(0);
    expect(knownVersion('apiKey', 'ApiKeyFrozen')).toBe(0);
  });
});

describe('events of a newer release', () => {
  it.each([
    ['an unknown type in an own stream', event('nodeGroup-1', 'NodeGroupFrozen'), 0],
    ['a later version in an own stream', event('node-1', 'NodeDeclared', 2), 1],
    ['a later version in a stream of another service', event('cluster-1', 'ClusterPaused', 4), 1],
  ])('%s is unreadable: it is reported once, and ends the changes of the service', (_what, unreadable, known) => {
    const { newer, logged } = service();
    let calls = 0;
    newer.onFound(() => (calls += 1));
    expect(newer.admits(unreadable, categoryOf(unreadable.stream))).toBe(false);
    expect(newer.admits({ ...unreadable, revision: 1 }, categoryOf(unreadable.stream))).toBe(false);
    const { type, metadata } = unreadable;
    expect(logged).toEqual([['error', expect.objectContaining({ type, version: metadata.schemaVersion, known })]]);
    expect([newer.found, calls]).toEqual([true, 1]);
    expect(newer.problem).toContain(`${type} has version ${metadata.schemaVersion}`);
    expect(newer.refusal).toMatchObject({ code: 'newer-release', kind: 'unavailable', retryAfterMs: 1_000 });
  });

  it('what follows an unreadable event in its stream is not folded, other streams are', () => {
    const { newer } = service();
    newer.admits(event('node-1', 'NodeDeclared', 2), 'node');
    expect(newer.admits(event('node-1', 'NodeCordoned'), 'node')).toBe(false);
    expect(newer.admits(event('node-2', 'NodeCordoned'), 'node')).toBe(true);
  });

  it('an unknown type in a stream of another service is skipped and reported once', () => {
    const { newer, logged } = service();
    for (const id of ['1', '2'])
      expect(newer.admits(event(`cluster-${id}`, 'ClusterPainted', 3), 'cluster')).toBe(true);
    expect(newer.found).toBe(false);
    expect(logged).toEqual([['warn', { type: 'ClusterPainted', version: 3 }]]);
  });

  it('what depends on a complete category is refused, and everything once a listener has failed', () => {
    const { newer } = service();
    newer.requireComplete('node');
    newer.admits(event('node-1', 'NodeDeclared', 2), 'node');
    newer.requireComplete('apiKey');
    expect(() => newer.requireComplete('node')).toThrow(RefusedError);
    newer.halt(new Error('a state is missing'));
    expect(() => newer.requireComplete('apiKey')).toThrow(RefusedError);
    expect(newer.admits(event('node-2', 'NodeCordoned'), 'node')).toBe(false);
  });
});
