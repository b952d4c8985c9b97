import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeOn, eventually, ferretMissing, natsMissing, repositoryRoot, StaveClient } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import { checkHistory } from '../fault/check-history.js';
import { readHistory } from '../fault/read-history.js';
import { formerRelease, formerReleaseMissing } from './former-release.js';
import { UpgradeLoad } from './upgrade-load.js';

jest.setTimeout(900_000);

const missing =
  process.env['STAVE_TEST_UPGRADE'] === 'true'
    ? (formerReleaseMissing() ?? natsMissing() ?? ferretMissing())
    : 'npm run test:group upgrade runs it';

/** As docs/operate/rolling-upgrade.md says: one replica of each service, the other ones, then gateways and conductors. */
const SERVICES = ['container-scheduler', 'cluster-service', 'nodegroup-service'];
const MEMBERS = [...SERVICES, ...SERVICES.map(service => `${service}-2`), 'one', 'two'];
const GATEWAYS = ['api-gateway', 'api-gateway-2'];
const WRITERS = 2;
/** Creations that are acknowledged before the next process is replaced. */
const BETWEEN = 2;
/** As long as the chart leaves a service to end. */
const GRACE_MS = 45_000;

describeOn(missing, 'a rolling upgrade from the former release under load', () => {
  let dataDir = '';
  let former = { commit: '', directory: '' };
  let stack: DistributedStack;
  let load: UpgradeLoad;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-upgrade-'));
    former = formerRelease();
    stack = await startDistributed({
      dataDir,
      release: former.directory,
      conductors: ['one', 'two'].map(id => ({ id, group: '', env: { STOP_GRACE_MS: '20000' } })),
      replicas: Object.fromEntries([...SERVICES, 'api-gateway'].map(service => [service, 2])),
      mongo: true,
    });
  });
  afterAll(async () => {
    await load?.stop().catch(() => undefined);
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Replaces one process after the other, while the load continues in between. */
  async function replace(names: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
    for (const name of names) {
      const wanted = load.report.acknowledged.length + BETWEEN;
      const child = stack.process(name);
      child.change({ entry: child.entry.replace(former.directory, repositoryRoot()), env });
      const seen = load.report.begin(`${name} (${env['RING_KEY_PIN'] === 'true' ? 'upgraded' : 'unpinned'})`);
      seen.stopMs = await measured(async () => {
        const end = await child.stop(GRACE_MS);
        if (end?.code !== 0) throw new Error(`${name} ended with ${JSON.stringify(end)}: ${child.logTail()}`);
      });
      seen.startMs = await measured(() => child.start());
      await eventually(async () => load.failure !== undefined || load.report.acknowledged.length >= wanted, {
        timeoutMs: 60_000,
        what: `clusters are created after ${name} was replaced`,
      });
      if (load.failure !== undefined) throw new Error('the load has ended', { cause: load.failure });
    }
  }

  it('no acknowledged request is lost, and no repeat is answered 5xx', async () => {
    const api = new StaveClient(stack.urls[1] ?? '', stack.adminKey);
    load = new UpgradeLoad(stack.urls, stack.adminKey);
    load.start(WRITERS);
    // the ring stays pinned until every process is new
    await replace([...MEMBERS, ...GATEWAYS], { RING_KEY_PIN: 'true' });
    await replace(MEMBERS, { RING_KEY_PIN: 'false' });
    const report = await load.stop();
    console.info(
      [
        `from ${former.commit.slice(0, 8)}: ${report.requests} requests, ${report.acknowledged.length} creations acknowledged, ` +
          `${report.repeats} repeats of them, slowest answer ${Math.round(report.slowestMs)} ms`,
        ...report.lines(),
      ].join('\n'),
    );
    expect(report.wrong).toEqual([]);
    expect(report.failed(({ failure, isRepeat }) => isRepeat && failure !== 'refused' && failure !== 'cut')).toEqual(
      [],
    );

    for (const { operation, name } of report.acknowledged)
      expect([name, await api.operation(operation, 120_000)]).toMatchObject([name, { status: 'SUCCEEDED' }]);
    const wanted = report.acknowledged.map(({ id }) => `${id} ACTIVE`).sort();
    const listed = async (): Promise<readonly string[]> =>
      (await stack.rest.list('/v1/clusters?limit=200'))
        .map(({ id, status }) => `${String(id)} ${String(status)}`)
        .sort();
    await eventually(async () => isDeepStrictEqual(await listed(), wanted), {
      timeoutMs: 120_000,
      what: 'the lists show exactly the acknowledged clusters',
    });
    const rings = await api.list<{ readonly mode: string; readonly pinnedBy: readonly string[] }>('/v1/rings');
    expect(rings).toMatchObject([{ mode: 'group', pinnedBy: [] }]);
    // what a conductor that was replaced did late is taken back by a sweep
    const broken = async () => checkHistory(await readHistory(stack));
    await eventually(async () => (await broken()).length === 0, { timeoutMs: 60_000 }).catch(() => undefined);
    expect(await broken()).toEqual([]);
    for (const name of [...MEMBERS, ...GATEWAYS]) expect(stack.process(name).entry).toContain(repositoryRoot());
  });
});

async function measured(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
