import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupToken, keyToken, ringKey } from '@stave/domain';
import { describeOn, eventually, itOn, natsProgramMissing, StaveClient } from '@stave/testing';
import { connect } from 'nats';
import { checkHistory } from '../fault/check-history.js';
import { factOf, textIn } from '../fault/history.js';
import { eventsOf, journalOf, readHistory } from '../fault/read-history.js';
import { FarSites } from './far-sites.js';
import { LossyLine, lossyLineMissing } from './lossy-line.js';

jest.setTimeout(600_000);

const WAIT = { timeoutMs: 240_000 };
const flavor = { cpus: 1, memoryMb: 512 };
const SITES = ['site-a', 'site-b'] as const;
/** A thin line: half a second for a question and its answer, and 32 kB/s each way. */
const THIN = { delayMs: 250, bytesPerSecond: 32_000 };

interface Created {
  readonly id: string;
}

describeOn(natsProgramMissing(), 'conductors in far sites', () => {
  let sites: FarSites;
  let api: StaveClient;

  beforeAll(async () => {
    sites = await FarSites.start();
    api = new StaveClient(sites.stack.url, sites.stack.adminKey);
  });
  afterAll(() => sites?.close());

  const request = (name: string, conductorGroup: string, count: number, latencyMs = 0) => ({
    ...{ name, driver: 'fake', conductorGroup, options: { latencyMs } },
    nodeGroups: [{ name: 'w', role: 'worker', count, flavor }],
  });
  const cluster = (...of: Parameters<typeof request>) => api.post<Created>('/v1/clusters', request(...of));
  const active = async (name: string): Promise<number> =>
    (await api.list(`/v1/nodes?clusterId=${name}&status=ACTIVE&limit=500`)).length;
  const sessionOf = async (site: string): Promise<string> =>
    (await api.read<{ session: string }>(`/v1/conductors/${site}-1`)).session;

  /** The nodes of a cluster that the cloud was asked to create and created, one entry for each time. */
  async function created(clusterId: string): Promise<readonly string[]> {
    const journal = await journalOf(sites.stack.journalPath);
    const ids = new Set((await api.list<Created>(`/v1/nodes?clusterId=${clusterId}&limit=500`)).map(({ id }) => id));
    return journal.flatMap(({ effect, kind, resourceId = '' }) =>
      kind === 'node' && effect === 'created' && ids.has(resourceId) ? [resourceId] : [],
    );
  }

  async function builtOnce(clusterId: string, count: number): Promise<void> {
    expect(await active(clusterId)).toBe(count);
    const ids = await created(clusterId);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  }

  it.each(SITES)('%s builds nodes, runs a container, and its log is followed', async site => {
    const { id } = await api.succeed(cluster(`first-${site}`, site, 3));
    await builtOnce(id, 3);
    const profile = `p-${site}`;
    const resources = { cpus: 0.25, memoryMb: 128 };
    await api.post('/v1/container-profiles', { name: profile, image: 'web:1', resources, hostCluster: id });
    const made = await api.succeed(api.post<Created>('/v1/containers', { name: `c-${site}`, profile, cluster: id }));
    const path = `/v1/containers/${made.id}`;
    const headers = { authorization: `Bearer ${sites.stack.adminKey}` };
    const text = (await fetch(`${sites.stack.url}${path}/logs?follow=true`, { headers })).text();
    await api.succeed(api.post(`${path}/actions/restart`));
    await api.succeed(api.post(`${path}/actions/stop`));
    expect(await text).toMatch(/ started from .*\n.* restarted \(1\)\n.* exited with \d+\n$/);
  });

  it('nothing that processes need is refused', async () => {
    const logs = join(sites.nats.directory, 'data', 'logs');
    for (const file of await readdir(logs))
      expect(await readFile(join(logs, file), 'utf8')).not.toContain('NATS refuses');
  });

  it('behind the leaf node of a site nobody hears or says what belongs to another one', async () => {
    const [a, b] = [groupToken('site-a'), groupToken('site-b')];
    const keyA = keyToken(ringKey('site-a', 'fake', 'group'));
    const intruder = await connect({ servers: sites.nats.leaf.url, inboxPrefix: `_INBOX.${b}.intruder` });
    const heard: string[] = [];
    for (const subject of ['stave.>', '_INBOX.>', `stave.work.${keyA}.*`, `stave.call.${keyA}.*`])
      intruder.subscribe(subject, { callback: (_, { subject: on }) => void heard.push(on) });
    await intruder.flush();
    const ask = (subject: string): Promise<unknown> =>
      intruder.request(subject, JSON.stringify({ meta: {}, body: {} }), { timeout: 3_000 }).then(
        answer => answer.json(),
        () => 'nothing',
      );
    // its own group is reached: the refusal is that of a service
    expect(await ask(`stave.from.${b}.cluster-service.conductor.leave`)).toMatchObject({ ok: false });
    for (const subject of [
      ...[`stave.from.${a}.cluster-service.conductor.leave`, `stave.from.${a}.nodegroup-service.task.claim`],
      ...[
        'stave.cmd.cluster-service.cluster.delete',
        `stave.call.${keyA}.1`,
        'stave.cmd.cluster-service.conductor.leave',
      ],
    ])
      expect({ subject, answer: await ask(subject) }).toEqual({ subject, answer: 'nothing' });
    const foreign = (on: string): boolean => on.includes(a) || on.includes(keyA);
    const before = heard.filter(foreign).length;
    await api.succeed(cluster('unheard', 'site-a', 2));
    await api.succeed(cluster('heard', 'site-b', 2));
    await intruder.close();
    expect(heard.filter(foreign)).toHaveLength(before);
    expect(heard.some(on => on.startsWith(`stave.from.${b}.`))).toBe(true);
    expect(heard.filter(on => on.startsWith('stave.elect.') || on.startsWith('stave.evt.'))).toEqual([]);
  });

  it.each(SITES)('%s works over a line that is slow', async site => {
    const line = sites.line(site);
    line.reshape(THIN);
    const { id } = await api.succeed(cluster(`slow-${site}`, site, 8), 240_000);
    line.reshape({});
    await builtOnce(id, 8);
  });

  const missing = lossyLineMissing();
  for (const site of SITES)
    itOn(
      missing,
      `${site} works over a line that loses one packet in five: nothing is lost or built twice`,
      async () => {
        const line = sites.line(site);
        const lossy = await LossyLine.open(sites.nats.port);
        try {
          await lossy.lose(0.2);
          line.redirect(lossy.port);
          line.cut();
          const { id } = await api.succeed(cluster(`lossy-${site}`, site, 12, 300), 240_000);
          await builtOnce(id, 12);
          expect(await lossy.lose(0)).toBeGreaterThan(10);
        } finally {
          line.redirect(sites.nats.port);
          await lossy.close();
        }
      },
    );

  it.each(SITES)(
    '%s works over a line that is cut again and again: work is late, and nothing is built twice',
    async site => {
      const line = sites.line(site);
      const before = line.connections;
      const building = cluster(`cut-${site}`, site, 12, 1_500);
      const { id } = (await building).body;
      let carried = line.carried;
      for (let cuts = 0; cuts < 5; cuts++) {
        await eventually(() => line.carried > carried + 2_000, { ...WAIT, what: 'the line is used again' });
        line.cut();
        carried = line.carried;
      }
      await api.succeed(building, 240_000);
      // the work may end before the line is there again after the last cut
      await eventually(() => line.connections > before + 4, { ...WAIT, what: 'the line is there again' });
      await builtOnce(id, 12);
    },
  );

  it.each(SITES)('%s works again after its connection has died without a word to either end', async site => {
    const line = sites.line(site);
    const before = line.connections;
    const building = cluster(`silent-${site}`, site, 6, 1_000);
    const { id } = (await building).body;
    line.abandon();
    await eventually(() => line.connections > before, { ...WAIT, what: 'the line is there again' });
    await api.succeed(building, 240_000);
    await builtOnce(id, 6);
  });

  it.each(SITES)(
    '%s loses contact for longer than its session: it ends its work, and does it once when contact is back',
    async site => {
      const line = sites.line(site);
      const session = await sessionOf(site);
      const building = await cluster(`lost-${site}`, site, 6, 2_000);
      const { id } = building.body;
      await eventually(async () => (await created(id)).length > 0, { ...WAIT, everyMs: 10, what: 'the cloud builds' });
      line.lose();
      const isOver = async (): Promise<boolean> =>
        (await eventsOf(sites.stack.rest)).some(
          event => factOf(event) === 'conductorExpired' && textIn(event, 'session') === session,
        );
      await eventually(isOver, { ...WAIT, everyMs: 200, what: 'the session has ended' });
      expect(await active(id)).toBeLessThan(6);
      line.restore();
      await api.succeed(building, 240_000);
      expect(await sessionOf(site)).not.toBe(session);
      await builtOnce(id, 6);
    },
  );

  it('the history of all this breaks no promise', async () => {
    const broken = async () => checkHistory(await readHistory(sites.stack));
    await eventually(async () => (await broken()).length === 0, WAIT).catch(() => undefined);
    expect(await broken()).toEqual([]);
  });
});
