import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeOn, eventually, ferretMissing, natsMissing, StaveClient } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import type { NodeView } from '../../e2e/views.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'nodegroup-service-2', 'container-scheduler'];
const LISTS = ['clusters', 'node-groups', 'nodes'];
const nodeGroups = [{ name: 'w', role: 'worker', count: 4, flavor: { cpus: 1, memoryMb: 512 } }];

interface Listed {
  readonly items: readonly { readonly id: string; readonly status: string }[];
}

describeOn(natsMissing() ?? ferretMissing(), 'services that start from snapshots beside stored read models', () => {
  let dataDir: string;
  let stack: DistributedStack;
  let api: StaveClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-snapshots-'));
    stack = await startDistributed({
      dataDir,
      conductors: [{ id: 'one', group: '' }],
      replicas: { 'nodegroup-service': 2 },
      mongo: true,
    });
    api = new StaveClient(stack.url, stack.adminKey);
  }, 240_000);

  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const create = (name: string): Promise<{ readonly id: string }> =>
    api.succeed(api.post<{ readonly id: string }>('/v1/clusters', { name, driver: 'fake', nodeGroups }));

  async function lists(): Promise<readonly (readonly string[])[]> {
    const answered = async (list: string): Promise<readonly string[]> => {
      const { items } = await eventually(
        async () => {
          const { status, body } = await api.get<Listed>(`/v1/${list}?sort=name`);
          return status === 200 ? body : undefined;
        },
        { timeoutMs: 120_000, what: `a list of ${list}` },
      );
      return items.map(({ id, status }) => `${id} ${status}`);
    };
    return Promise.all(LISTS.map(answered));
  }

  async function startedAfter(service: string): Promise<number> {
    const lines = (await readFile(join(dataDir, 'logs', `${service}.log`), 'utf8')).split('\n');
    const last = lines.findLast(line => line.includes('"the log is folded"')) ?? '{}';
    return (JSON.parse(last) as { readonly after: number }).after;
  }

  it('they show what lives and not what ended before, between and after the snapshots, and the past of all of it', async () => {
    const [kept, gone, later] = [await create('kept'), await create('gone'), await create('later')];
    const { items } = (await api.get<{ items: NodeView[] }>(`/v1/nodes?clusterId=${gone.id}`)).body;
    const [node] = items;
    const then = new Date().toISOString();
    await api.succeed(api.delete(`/v1/clusters/${gone.id}`));
    const before = await lists();
    expect(before.map(list => list.length)).toEqual([2, 2, 8]);
    for (const name of SERVICES) await stack.process(name).restart();
    for (const name of SERVICES) expect([name, (await startedAfter(name)) > 0]).toEqual([name, true]);
    expect(await lists()).toEqual(before);

    await api.succeed(api.delete(`/v1/clusters/${later.id}`));
    for (const name of SERVICES) await stack.process(name).kill();
    for (const name of SERVICES) await stack.process(name).start();
    for (const name of SERVICES) expect([name, (await startedAfter(name)) > 0]).toEqual([name, true]);
    const keptOnly = before.map(list => list.length / 2);
    const shown = async (): Promise<boolean> =>
      isDeepStrictEqual(
        (await lists()).map(list => list.length),
        keptOnly,
      );
    await eventually(shown, { timeoutMs: 120_000, what: 'what lives, and nothing else' });
    expect((await api.get<NodeView>(`/v1/nodes/${node?.id}`)).status).toBe(404);
    const past = await api.get<NodeView>(`/v1/nodes/${node?.id}?at=${then}`);
    expect([past.status, past.body.name, past.body.status]).toEqual([200, node?.name, 'ACTIVE']);
    await api.succeed(api.delete(`/v1/clusters/${kept.id}`));
    expect((await lists()).flat()).toEqual([]);
  }, 480_000);
});
