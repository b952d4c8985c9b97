import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJetStream, PublicationMovedError, PUBLISHED_STREAM, PUBLISHED_SUBJECTS } from '@stave/platform';
import { nanos } from 'nats';
import { eventually } from '@stave/platform/testing';
import { describeOn, itOn } from './describe-on.js';
import { CountingLog, installation, Outsider, publisherOf, type RunningPublisher } from './publication.fixture.js';
import { natsMissing, natsNotRestartable, startNats, type NatsServer } from './start-nats.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

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
  }, 60_000);

  afterEach(async () => {
    await Promise.all(running.splice(0).map(publisher => publisher.stop()));
    await outsider.connection.close();
    await nats.stop();
    await (await log.store).close();
    await rm(directory, { recursive: true });
  }, 60_000);

  const start = async (said?: string[]): Promise<RunningPublisher> => {
    const publisher = await publisherOf(log, nats.url, said);
    running.push(publisher);
    return publisher;
  };
  const published = (count: number) =>
    eventually(async () => (await outsider.count()) >= count, { timeoutMs: 30_000, what: `${count} are published` });

  it('in order, each once, as CloudEvents, and nothing that is hidden', async () => {
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
  }, 60_000);

  it('without gap or double when publishers are cut off in the middle of it', async () => {
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
    expect(said).toContain('publishing events goes on after the last published one');
  }, 120_000);

  it('without double when several believe they are elected, although the server has forgotten the ids', async () => {
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
  }, 120_000);

  it('and a publisher that was frozen, with a tail of long ago, adds nothing', async () => {
    const open = () => openJetStream({ servers: nats.url, name: 'p', maxBytes: 2 ** 20, replicas: 1 });
    const [frozen, other] = await Promise.all([open(), open()]);
    const message = (id: string) => ({ subject: 'stave.evt.-.node.a.NodeCordoned', id, text: '{}' });
    const { sequence } = await frozen.tail();
    await other.tail();
    expect(await other.append([message('1'), message('2')], sequence)).toBe(2);
    await expect(frozen.append([message('3'), message('4')], sequence)).rejects.toBeInstanceOf(PublicationMovedError);
    expect(await outsider.count()).toBe(2);
    await Promise.all([frozen.close(), other.close()]);
  }, 60_000);

  itOn(
    natsNotRestartable(),
    'again from the start when NATS was wiped, also while nothing happens, and says so',
    async () => {
      const said: string[] = [];
      await start(said);
      await log.add(40);
      await published(40);
      said.length = 0;
      await nats.restart({ wipe: true });
      await eventually(async () => (await outsider.count().catch(() => 0)) === 40, {
        timeoutMs: 30_000,
        what: 'refilled',
      });
      expect(said).toContain('no published event is held: all are published from the start of the log');
      await log.add(3);
      await published(43);
      expect(await outsider.numbers()).toEqual(upTo(43));
    },
    120_000,
  );

  itOn(
    natsNotRestartable(),
    'while NATS is away, later',
    async () => {
      await start();
      await log.add(10);
      await published(10);
      await nats.kill();
      await log.add(10);
      await nats.restart();
      await eventually(async () => (await outsider.count().catch(() => 0)) === 20, {
        timeoutMs: 30_000,
        what: 'all there',
      });
      expect(await outsider.numbers()).toEqual(upTo(20));
    },
    120_000,
  );

  it('that do not fit, with a reference instead of their data', async () => {
    await log.append('cluster-big', 'ClusterUpdated', { changes: { description: 'x'.repeat(1_010_000) } }, -1);
    await log.add(1);
    await start();
    await published(2);
    const [big, next] = await outsider.all();
    expect(big?.event).toMatchObject({ type: 'stave.cluster.updated.v1', dataref: '/v1/events?since=0&limit=1' });
    expect(big?.event).not.toHaveProperty('data');
    expect(next?.event.data).toEqual({ n: 0 });
  }, 60_000);

  it('behind the events of another log, when the stream holds such', async () => {
    const subject = 'stave.evt.-.node.a.NodeCordoned';
    await start();
    await log.add(5);
    await published(5);
    await Promise.all(running.splice(0).map(publisher => publisher.stop()));
    await outsider.connection.jetstream().publish(subject, JSON.stringify({ source: '/stave/other', position: '3' }));
    const said: string[] = [];
    await start(said);
    await eventually(() => said.length > 0);
    expect(said).toContain('the last published event is of another log: all of this one follow it');
  }, 60_000);
});
