import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJetStream, PublicationMovedError, PUBLISHED_STREAM, PUBLISHED_SUBJECTS } from '@stave/platform';
import { nanos } from 'nats';
import { eventually, withSparsePositions } from '@stave/platform/testing';
import { describeOn, itOn } from '@stave/driver-sdk/testing';
import { CountingLog, installation, Outsider, publisherOf, type RunningPublisher } from './publication.fixture.js';
import { natsMissing, natsNotRestartable, startNats, type NatsServer } from './start-nats.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(240_000);
const WAIT_MS = 120_000;

describeOn(natsMissing(), 'events published on JetStream', () => {
  let nats: NatsServer;
  let outsider: Outsider;
  let directory: string;
  let log: CountingLog;
  const running: RunningPublisher[] = [];

  beforeEach(async () => {
    const started = await startNats();
    if ('skipped' in started) throw new Error(started.skipped);
    nats = started;
    outsider = await Outsider.connect(nats.url);
    directory = await mkdtemp(join(tmpdir(), 'stave-publication-'));
    log = new CountingLog(directory);
    await log.begin();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map(publisher => publisher.stop()));
    await outsider.connection.close();
    await nats.stop();
    await (await log.store).close();
    await rm(directory, { recursive: true });
  });

  const start = async (said?: string[]): Promise<RunningPublisher> => {
    const publisher = await publisherOf(log, nats.url, said);
    running.push(publisher);
    return publisher;
  };
  const published = (count: number) =>
    eventually(async () => (await outsider.count()) >= count, { timeoutMs: WAIT_MS, what: `${count} are published` });

  it('publishes events in order, each once, as CloudEvents, without internal events', async () => {
    await log.add(30);
    await start();
    await log.add(30);
    await published(60);
    expect(await outsider.numbers()).toEqual(upTo(60));
    const [first] = await outsider.all();
    expect(first?.event).toMatchObject({
      specversion: '1.0',
      type: 'stave.node.cordoned.v1',
      source: `/stave/${installation}`,
      subject: expect.stringMatching(/^node\/[0-9a-f-]{36}$/),
      cluster: 'k',
      revision: 0,
      position: expect.stringMatching(/^\d+$/),
      data: { n: 0 },
    });
    const { project, subject, id } = first?.event ?? {};
    expect(first?.message.subject).toBe(`stave.evt.${project}.${subject?.replace('/', '.')}.NodeCordoned`);
    expect(first?.message.header.get('Nats-Msg-Id')).toBe(id);
  });

  it('publishes without gap or duplicate when publishers are killed', async () => {
    await log.add(1_500);
    for (const enough of [1, 300, 700]) {
      const publisher = await start();
      await published(enough);
      running.splice(0);
      await publisher.cut();
    }
    const said: string[] = [];
    await start(said);
    await log.add(10);
    await published(1_510);
    expect(await outsider.numbers()).toEqual(upTo(1_510));
    expect(said).toContain('publishing resumes after the last published event');
  });

  it('publishes without duplicate when several publishers lead at once and the server has forgotten message ids', async () => {
    const manager = await outsider.connection.jetstreamManager();
    await manager.streams.add({
      name: PUBLISHED_STREAM,
      subjects: [PUBLISHED_SUBJECTS],
      duplicate_window: nanos(100),
    });
    await log.add(200);
    await Promise.all([start(), start(), start()]);
    await log.add(400);
    await published(600);
    await log.add(5);
    await published(605);
    expect(await outsider.numbers()).toEqual(upTo(605));
    expect((await manager.streams.info(PUBLISHED_STREAM)).config.duplicate_window).toBe(nanos(100));
  });

  it('refuses messages of a publisher that was suspended and has an outdated end of the stream', async () => {
    const open = () => openJetStream({ servers: nats.url, name: 'p', maxBytes: 2 ** 20, replicas: 1 });
    const [frozen, other] = await Promise.all([open(), open()]);
    const message = (id: string) => ({ subject: 'stave.evt.-.node.a.NodeCordoned', id, text: '{}' });
    const { sequence } = await frozen.tail();
    await other.tail();
    expect(await other.append([message('1'), message('2')], sequence)).toBe(2);
    await expect(frozen.append([message('3'), message('4')], sequence)).rejects.toBeInstanceOf(PublicationMovedError);
    expect(await outsider.count()).toBe(2);
    await Promise.all([frozen.close(), other.close()]);
  });

  itOn(
    natsNotRestartable(),
    'publishes from the start when NATS was wiped, also while no event is appended, and logs it',
    async () => {
      const said: string[] = [];
      await start(said);
      await log.add(40);
      await published(40);
      said.length = 0;
      await nats.restart({ wipe: true });
      await eventually(async () => (await outsider.count().catch(() => 0)) === 40, {
        timeoutMs: WAIT_MS,
        what: 'refilled',
      });
      expect(said).toContain('the published log is empty; publishing from the start of the event log');
      await log.add(3);
      await published(43);
      expect(await outsider.numbers()).toEqual(upTo(43));
    },
  );

  itOn(
    natsNotRestartable(),
    'publishes events that were appended while NATS was down after it is up again',
    async () => {
      await start();
      await log.add(10);
      await published(10);
      await nats.kill();
      await log.add(10);
      await nats.restart();
      await eventually(async () => (await outsider.count().catch(() => 0)) === 20, {
        timeoutMs: WAIT_MS,
        what: 'all there',
      });
      expect(await outsider.numbers()).toEqual(upTo(20));
    },
  );

  it('replaces data that exceeds the size limit by a reference', async () => {
    await log.append('cluster-big', 'ClusterUpdated', { changes: { description: 'x'.repeat(1_010_000) } }, -1);
    await log.add(1);
    await start();
    await published(2);
    const [big, next] = await outsider.all();
    expect(big?.event).toMatchObject({ type: 'stave.cluster.updated.v1', dataref: '/v1/events?since=0&limit=1' });
    expect(big?.event).not.toHaveProperty('data');
    expect(next?.event.data).toEqual({ n: 0 });
  });

  it('refers to the page of an event that exceeds the size limit where positions are byte offsets, also after a restart', async () => {
    const sparse = new CountingLog(join(directory, 'sparse'), store => withSparsePositions(store, { refuse: true }));
    const store = await sparse.store;
    const starting = async (): Promise<void> => void running.push(await publisherOf(sparse, nats.url));
    const big = { changes: { description: 'x'.repeat(1_010_000) } };
    await sparse.begin();
    await starting();
    await sparse.append('cluster-a', 'ClusterUpdated', big, -1);
    await published(1);
    await Promise.all(running.splice(0).map(publisher => publisher.stop()));
    await sparse.append('cluster-b', 'ClusterUpdated', big, -1);
    await starting();
    await published(2);
    for (const { event } of await outsider.all()) {
      const since = /^\/v1\/events\?since=(\d+)&limit=1$/.exec(String(Object(event).dataref))?.[1];
      const [found] = await store.readAll({ after: Number(since), limit: 1 });
      expect(found?.id).toBe(event.id);
    }
    await store.close();
  });

  it('publishes after the events of another log in the same stream', async () => {
    const subject = 'stave.evt.-.node.a.NodeCordoned';
    await start();
    await log.add(5);
    await published(5);
    await Promise.all(running.splice(0).map(publisher => publisher.stop()));
    await outsider.connection.jetstream().publish(subject, JSON.stringify({ source: '/stave/other', position: '3' }));
    const said: string[] = [];
    await start(said);
    await eventually(() => said.length > 0);
    expect(said).toContain('the last published event belongs to another event log; publishing this one from its start');
  });
});
