import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@stave/platform/testing';
import { describeOn } from '@stave/driver-sdk/testing';
import { ConfiguredNats, natsProgramMissing } from './configured-nats.js';
import { startNatsCluster } from './nats-cluster.js';
import { CountingLog, Outsider, publisherOf } from './publication.fixture.js';
import { freePort } from './server-process.js';

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(400_000);
const WAIT_MS = 120_000;

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describeOn(natsProgramMissing(), 'events published on other places than one NATS server with JetStream', () => {
  let log: CountingLog;
  const closing: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stave-publication-'));
    closing.push(() => rm(directory, { recursive: true }));
    log = new CountingLog(directory);
    closing.push(async () => (await log.store).close());
    await log.begin();
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function outsiderOf(url: string): Promise<Outsider> {
    const outsider = await Outsider.connect(url);
    closing.push(() => outsider.connection.close());
    return outsider;
  }

  it('a NATS server without JetStream is reported once, and events are published when it has JetStream', async () => {
    const monitor = await freePort();
    const without = `http: "127.0.0.1:${monitor}"`;
    const nats = await ConfiguredNats.start(without);
    closing.push(() => nats.stop());
    await log.add(10);
    const said: string[] = [];
    const publisher = await publisherOf(log, nats.url, said);
    closing.push(() => publisher.stop());
    const received = async (): Promise<number> =>
      Number(Object(await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json()).in_msgs);
    await eventually(async () => (await received()) >= 5, { timeoutMs: WAIT_MS, what: 'five attempts' });
    expect(said).toEqual(['events cannot be published; trying again about once a minute']);

    await nats.restart(`${without}\njetstream {}`);
    const outsider = await outsiderOf(nats.url);
    await eventually(async () => (await outsider.count()) === 10, { timeoutMs: WAIT_MS, what: 'all are published' });
    expect(await outsider.numbers()).toEqual(upTo(10));
  });

  it('a user who may not use JetStream is reported once', async () => {
    const nats = await ConfiguredNats.start(`jetstream {}
      authorization { default_permissions { publish { deny: "$JS.>" } }, users: [{ user: u, password: p }] }
      no_auth_user: u`);
    closing.push(() => nats.stop());
    const said: string[] = [];
    const publisher = await publisherOf(log, nats.url, said);
    closing.push(() => publisher.stop());
    await eventually(() => nats.logged('Publish Violation') >= 5, { timeoutMs: WAIT_MS, what: 'five attempts' });
    expect(said).toEqual(['events cannot be published; trying again about once a minute']);
  });

  it('events are published in order, each once, on a cluster of three servers of which one is killed at a time', async () => {
    const cluster = await startNatsCluster();
    closing.push(async () => void (await Promise.all(cluster.map(nats => nats.stop()))));
    const urls = cluster.map(nats => nats.url).join(',');
    const outsider = await outsiderOf(urls);
    const publisher = await publisherOf(log, urls, [], 3);
    closing.push(() => publisher.stop());
    let count = 0;
    const add = async (more: number, what: string): Promise<void> => {
      await log.add(more);
      count += more;
      const isThere = async (): Promise<boolean> => (await outsider.count()) >= count;
      await eventually(isThere, { timeoutMs: WAIT_MS, everyMs: 100, what });
    };
    await add(50, 'the first events are published');
    for (const [i, nats] of cluster.entries()) {
      await Promise.all([add(400, `events are published while server ${i} is killed`), nats.kill()]);
      await add(20, `events are published without server ${i}`);
      await nats.restart();
      const isWhole = async (): Promise<boolean> => {
        const { cluster: state } = await outsider.info();
        return state?.leader !== undefined && state.replicas?.filter(({ current }) => current).length === 2;
      };
      await eventually(isWhole, { timeoutMs: WAIT_MS, everyMs: 100, what: `server ${i} has caught up` });
    }
    expect(await outsider.numbers()).toEqual(upTo(count));
  });
});
