import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { expectProblem } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(180_000);

/** Appends to the log of a product that does not run, as a later release does. */
async function append(dataDir: string, stream: string, type: string, schemaVersion: number): Promise<void> {
  const store = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  const after = (await store.readStream(stream)).length - 1;
  const metadata = { schemaVersion, time: new Date().toISOString(), correlationId: randomUUID() };
  await store.append(stream, [{ id: randomUUID(), type, data: {}, metadata }], after < 0 ? 'no_stream' : after);
  await store.close();
}

const readyz = async ({ url }: EmbeddedStack): Promise<readonly [status: number, body: unknown]> => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
};

describe('a product on the log of a newer release', () => {
  it('skips types that no decision depends on; else it serves reads, refuses commands and says why, at every start', async () => {
    let running = await EmbeddedStack.start();
    const { dataDir } = running;
    let fleet = new Fleet(running);
    const { id } = await fleet.cluster({}, [{ name: 'w', count: 2 }]);
    const nodes = async (): Promise<string[]> => (await fleet.nodes(id)).map(node => node.id).sort();
    const before = await nodes();
    const restart = async (): Promise<void> => {
      expect(await running.end('SIGTERM')).toBe(0);
    };

    await restart();
    // of a stream that no service follows
    await append(dataDir, `imagined-${randomUUID()}`, 'ImaginedCreated', 1);
    running = await EmbeddedStack.start(dataDir);
    fleet = new Fleet(running);
    expect((await readyz(running))[0]).toBe(200);
    await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 2 }));

    await restart();
    await append(dataDir, `cluster-${id}`, 'ClusterPaused', 2);
    for (const start of ['first', 'second']) {
      running = await EmbeddedStack.start(dataDir);
      fleet = new Fleet(running);
      expect([start, ...(await readyz(running))]).toMatchObject([
        start,
        503,
        { status: 'down', checks: { messaging: 'ok', eventStore: 'ok' } },
      ]);
      expect(JSON.stringify(await readyz(running))).toMatch(/ClusterPaused has version 2, .*; upgrade this process/);
      expect(await fleet.api.read(`/v1/clusters/${id}`)).toMatchObject({ id, status: 'ACTIVE' });
      expect(await nodes()).toEqual(before);
      expect((await fleet.api.get(`/v1/events?since=0&limit=500`)).status).toBe(200);
      for (const path of [`/v1/clusters/${id}/actions/pause`, `/v1/clusters/${id}/node-groups/w/actions/resize`]) {
        const refused = await fleet.api.post(path, path.endsWith('resize') ? { count: 3 } : {});
        expect(expectProblem(refused, 503).code).toBe('newer-release');
        expect(refused.headers.get('retry-after')).toBe('1');
      }
      expect(await running.end('SIGTERM')).toBe(0);
    }
    running = await EmbeddedStack.start(dataDir);
    await running.close();
  });
});
