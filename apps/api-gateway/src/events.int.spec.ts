import { pageIn } from './testing/answers.js';

import { anEvent, GatewayStub } from './testing/gateway-stub.js';
import { EventStreamClient } from './testing/event-stream-client.js';
import { eventually } from '@stave/platform/testing';

const cluster = '0198c5a0-0000-7000-8000-000000000001';
const group = '0198c5a0-0000-7000-8000-000000000002';

describe('events of the gateway', () => {
  let stub: GatewayStub;
  let clients: EventStreamClient[];
  beforeEach(async () => {
    stub = await GatewayStub.start({ heartbeatMs: 50 });
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) client.close();
    await stub.close();
  });

  const open = async (
    query = '',
    options: { key?: string; lastEventId?: string; accept?: string } = {},
  ): Promise<EventStreamClient> => {
    const client = await EventStreamClient.open(
      `${stub.url}/v1/events${query}`,
      options.key ?? 'admin',
      options.lastEventId,
      options.accept,
    );
    clients.push(client);
    return client;
  };
  const append = (stream: string, type: string, project = 'p1', data: object = {}) =>
    stub.store.append(stream, [anEvent(type, { project }, data)], 'any');
  const appendMany = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 100)
      await stub.store.append(
        `cluster-${cluster}`,
        Array.from({ length: 100 }, (_, n) => anEvent('ClusterUpdated', {}, { n: i + n })),
        'any',
      );
  };

  it('streams events as CloudEvents', async () => {
    const client = await open();
    await stub.store.append(
      `nodeGroup-${group}`,
      [anEvent('NodeGroupCreated', { clusterId: cluster, actor: 'k', operationId: 'n-1' }, { count: 3 })],
      'any',
    );
    await eventually(() => client.events.length === 1, 'the event came');
    expect(client.events[0]).toMatchObject({
      specversion: '1.0',
      type: 'stave.nodeGroup.created.v1',
      subject: `nodeGroup/${group}`,
      project: 'p1',
      cluster,
      revision: 0,
      position: client.ids[0],
      actor: 'k',
      operationid: 'n-1',
      data: { count: 3 },
    });
    await eventually(() => client.comments.includes('heartbeat'), 'a heartbeat came');
  });

  it('shows no internal events, and shows a project only its own events', async () => {
    const operator = await open('?from=start');
    const member = await open('?from=start', { key: 'member' });
    const internal = ['idempotency-a', 'name-b', 'secret-c', 'apiKey-d', 'installation', 'clusterGroups-e', 'quota-f'];
    for (const stream of internal) await append(stream, 'Hidden');
    await append(`cluster-${cluster}`, 'ClusterCreated', 'other');
    await stub.store.append('conductorRing', [anEvent('ConductorJoined', { project: undefined })], 'any');
    await append(`cluster-${group}`, 'ClusterCreated', 'p1');
    await eventually(() => operator.events.length === 3 && member.events.length === 1, 'both have read on');
    expect(operator.types).toEqual([
      'stave.cluster.created.v1',
      'stave.conductorRing.conductorJoined.v1',
      'stave.cluster.created.v1',
    ]);
    expect(member.events[0]).toMatchObject({ subject: `cluster/${group}` });
  });

  it('filters the stream by cluster, type and resource', async () => {
    const byCluster = await open(`?cluster=${cluster}`);
    const byType = await open('?type=stave.node.*');
    const byResource = await open('?resource=nodeGroup/g1');
    await append(`cluster-${cluster}`, 'ClusterCreated');
    await stub.store.append('node-n1', [anEvent('NodeBecameReady', { clusterId: cluster })], 'any');
    await append('nodeGroup-g1', 'NodeGroupCreated');
    await eventually(
      () => byCluster.events.length === 2 && byType.events.length === 1 && byResource.events.length === 1,
      'all came',
    );
    expect([byType.types, byResource.types]).toEqual([['stave.node.becameReady.v1'], ['stave.nodeGroup.created.v1']]);
  });

  it('resumes from any past position without gap or duplicate while events are appended', async () => {
    await appendMany(1500);
    const half = '700';
    const writing = appendMany(1000);
    const [all, resumed] = await Promise.all([open('?from=start'), open('', { lastEventId: half })]);
    await writing;
    await appendMany(100);
    const head = await stub.store.head();
    await eventually(() => all.lastId === String(head) && resumed.lastId === String(head), 'both are at the head');
    expect(all.events).toHaveLength(2600);
    expect(new Set(all.ids).size).toBe(2600);
    expect(resumed.ids).toEqual(all.ids.filter(id => Number(id) > Number(half)));
  });

  it('a stream begins with the position after which it reads, where a client resumes that has received no event', async () => {
    await append(`cluster-${cluster}`, 'ClusterCreated');
    const first = await open();
    const [beginning] = first.beginnings;
    first.close();
    await append(`cluster-${cluster}`, 'ClusterUpdated');
    const second = await open('', beginning === undefined ? {} : { lastEventId: beginning });
    await eventually(() => second.events.length > 0, 'the event came');
    expect(second.types).toEqual(['stave.cluster.updated.v1']);
    expect((await open('?from=start')).beginnings).toEqual([]);
  });

  it('starts a stream at a time', async () => {
    const at = (time: string) => stub.store.append('cluster-a', [anEvent('ClusterUpdated', { time }, { time })], 'any');
    for (const day of ['01', '02', '03']) await at(`2026-01-${day}T00:00:00.000Z`);
    const client = await open('?from=2026-01-02T00:00:00Z');
    await eventually(() => client.events.length === 2, 'two came');
    const page = await pageIn(await stub.call('GET', '/v1/events?since=2026-01-03T00:00:00Z'));
    expect(page.items).toHaveLength(1);
  });

  it('disconnects a client that does not read, after a comment, and the client can resume', async () => {
    await stub.gateway.close();
    stub = await GatewayStub.start({ slowReaderBytes: 200_000 });
    const slow = await open();
    slow.pause();
    for (let i = 0; i < 60; i++)
      await append(`cluster-${cluster}`, 'ClusterUpdated', 'p1', { text: 'x'.repeat(200_000) });
    await eventually(
      async () => /stream_readers 0/.test(await (await stub.call('GET', '/metrics')).text()),
      'the gateway cut it off',
    );
    slow.resume();
    await eventually(() => slow.ended, 'it ended');
    expect(slow.comments.at(-1)).toMatch('too slow');
    const again = await open('', { lastEventId: slow.lastId ?? '0' });
    const head = String(await stub.store.head());
    await eventually(() => again.lastId === head, 'the rest came');
    expect(slow.events.length + again.events.length).toBe(60);
  }, 120_000);

  it('ends streams with a comment and different pauses before the next connection when the gateway closes', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => open()));
    await stub.gateway.close();
    await eventually(() => clients.every(client => client.ended), 'they ended');
    for (const client of clients) expect(client.comments.at(-1)).toBe('closing');
    const pauses = clients.flatMap(client => client.retries);
    expect(pauses).toHaveLength(8);
    expect(pauses.filter(pause => pause < 500 || pause > 5_000)).toEqual([]);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });

  it('Accept decides between pages and a stream, which both begin at from or since', async () => {
    await append(`cluster-${cluster}`, 'ClusterCreated');
    for (const start of ['from', 'since']) {
      const stream = await open(`?${start}=start`, { accept: 'text/event-stream' });
      await eventually(() => stream.events.length === 1, 'the event came');
      const headers = { accept: 'application/json' };
      const page = pageIn(await stub.call('GET', `/v1/events?${start}=start&limit=5`, { headers }));
      expect((await page).items).toMatchObject([{ type: 'stave.cluster.created.v1' }]);
    }
  });

  it.each([
    ['from=start&since=start', 'application/json', '?from'],
    ['from=start&since=start', 'text/event-stream', '?from'],
    ['since=start&limit=5', 'text/event-stream', '?limit'],
    ['order=newest', 'text/event-stream', '?order'],
    ['until=start', 'text/event-stream', '?until'],
    ['from=yesterday', 'application/json', '?from'],
  ])('events refuse the query %s for a client that accepts %s', async (query, accept, pointer) => {
    const response = await stub.call('GET', `/v1/events?${query}`, { headers: { accept } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });

  it('pages the events that a stream shows', async () => {
    await appendMany(100);
    const first = await pageIn(await stub.call('GET', '/v1/events?since=start&limit=60'));
    const second = await pageIn(await stub.call('GET', `/v1/events?since=start&limit=60&cursor=${first.nextCursor}`));
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([60, 40, null]);
    expect([...first.items, ...second.items].map(e => e.data.n)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('refuses a cursor of another list', async () => {
    await append(`cluster-${cluster}`, 'ClusterCreated');
    await append(`cluster-${cluster}`, 'ClusterDeleted');
    const path = `/v1/clusters/${cluster}/events`;
    const { nextCursor } = await pageIn(await stub.call('GET', `${path}?limit=1`));
    const all = await pageIn(await stub.call('GET', '/v1/events?since=start&limit=1'));
    const status = async (url: string): Promise<number> => (await stub.call('GET', url)).status;
    expect(await status(`${path}?cursor=${nextCursor}&limit=5`)).toBe(200);
    expect(await status(`${path}?cursor=${all.nextCursor}`)).toBe(400);
    expect(await status(`${path}?cursor=1`)).toBe(400);
    expect(await status(`/v1/events?since=start&cursor=${all.nextCursor}`)).toBe(200);
    expect(await status(`/v1/events?since=start&cursor=${nextCursor}`)).toBe(400);
    expect(await status(`/v1/events?since=start&type=stave.cluster.deleted.v1&cursor=${all.nextCursor}`)).toBe(400);
  });

  it('shows the history of a resource, also after its deletion, to its project only', async () => {
    await append(`cluster-${cluster}`, 'ClusterCreated');
    await append(`cluster-${cluster}`, 'ClusterDeleted');
    const path = `/v1/clusters/${cluster}/events`;
    const first = await pageIn(await stub.call('GET', `${path}?limit=1`, { key: 'member' }));
    expect(first.items).toHaveLength(1);
    const rest = await pageIn(await stub.call('GET', `${path}?cursor=${first.nextCursor}`));
    expect(rest.items.map(e => e.type)).toEqual(['stave.cluster.deleted.v1']);
    await append(`cluster-${group}`, 'ClusterCreated', 'other');
    expect((await stub.call('GET', `/v1/clusters/${group}/events`, { key: 'member' })).status).toBe(404);
  });
});
