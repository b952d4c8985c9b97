import { seeded, testSeed } from '@stave/platform/testing';
import { eventually, expectStatus, StaveClient, type OperationView, type StaveAnswer } from '@stave/testing';
import { existingUnits } from '../fault/services/expected-clusters.js';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ResourceView } from '../e2e/views.js';
import { PROFILE, RandomCommands, type ExistingResources, type WalkRequest } from './random-commands.js';

jest.setTimeout(240_000);

const REQUESTS = 1_500;
const AT_ONCE = 6;
const MOST_CLUSTERS = 8;

interface Resource {
  readonly id: string;
}

/** Sends random commands at random times to a fleet whose infrastructure fails from time to time. */
describe('a random walk through the API', () => {
  const seed = testSeed();
  const random = seeded(seed);
  const commands = new RandomCommands(random);
  const answers = new Map<string, number>();
  let stack: EmbeddedStack;
  let api: StaveClient;

  beforeAll(async () => {
    stack = await EmbeddedStack.start();
    api = new StaveClient(stack.url, stack.adminKey);
  });
  afterAll(() => stack?.close());

  const ids = async (type: string, query = ''): Promise<readonly string[]> =>
    (await api.list<Resource>(`/v1/${type}?limit=100${query}`)).map(({ id }) => id);

  async function existing(): Promise<ExistingResources> {
    const [
      clusters = [],
      nodeGroups = [],
      nodes = [],
      containers = [],
      clusterTemplates = [],
      nodeGroupTemplates = [],
    ] = await Promise.all(
      ['clusters', 'node-groups', 'nodes', 'containers', 'cluster-templates', 'node-group-templates'].map(t => ids(t)),
    );
    const operations = await ids('operations', '&status=PENDING,RUNNING');
    return { clusters, nodeGroups, nodes, containers, clusterTemplates, nodeGroupTemplates, operations };
  }

  /** Waits until all operations have ended, except those of the kind `waiting`, which may wait for resources. */
  async function ended(waiting = ''): Promise<void> {
    const open = async (): Promise<readonly OperationView[]> =>
      (await api.list<OperationView>('/v1/operations?status=PENDING,RUNNING')).filter(({ kind }) => kind !== waiting);
    await eventually(async () => (await open()).length === 0, { timeoutMs: 60_000 }).catch(async (cause: unknown) => {
      throw new Error(`STAVE_TEST_SEED=${seed}, operations do not end: ${JSON.stringify(await open())}`, { cause });
    });
  }

  /** Describes an answer that is wrong in every state of the fleet; undefined for any other answer. */
  function wrongWith({ method, path, body }: WalkRequest, answer: StaveAnswer<unknown>): string | undefined {
    const problem = answer.status >= 400 ? (JSON.parse(answer.text) as { readonly code?: string }) : undefined;
    const kind = `${method} ${path.replace(/(?:[cns]-)?[0-9a-f-]{36}/g, ':id').replace(/\?.*/, '')} ${problem?.code ?? answer.status}`;
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
    const served = answer.status < 500 || problem?.code === 'no-conductor-available';
    if (served && (answer.status < 400 || problem?.code !== undefined)) return undefined;
    return `${method} ${path} ${JSON.stringify(body)} answered ${answer.status} ${answer.text.slice(0, 400)}`;
  }

  it('the API answers every random request with a result or with a reason for the refusal', async () => {
    const wrong: string[] = [];
    const home = {
      name: 'home',
      driver: 'fake',
      nodeGroups: [{ role: 'worker', count: 2, flavor: { cpus: 4, memoryMb: 4096 } }],
    };
    await api.succeed(api.post('/v1/clusters', home));
    expectStatus(await api.post('/v1/container-profiles', { ...PROFILE, hostCluster: 'home' }), 201);
    let view = await existing();
    let sent = 0;
    const walker = async (): Promise<void> => {
      while (sent < REQUESTS) {
        sent += 1;
        if (sent % 10 === 0) view = await existing();
        const request = commands.next(view);
        const crowded = request.method === 'POST' && request.path.startsWith('/v1/clusters?') === false;
        if (crowded && request.path === '/v1/clusters' && view.clusters.length >= MOST_CLUSTERS) continue;
        const { method, path, body, ifMatch } = request;
        const answer = await api.send(method, path, {
          ...(body === undefined ? {} : { body }),
          ...(ifMatch === undefined ? {} : { ifMatch }),
        });
        const found = wrongWith(request, answer);
        if (found !== undefined) wrong.push(found);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, walker)).catch((cause: unknown) => {
      throw new Error(`STAVE_TEST_SEED=${seed}: ${stack.recentLog}`, { cause });
    });
    const rows = [...answers]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, n]) => `${String(n).padStart(5)} ${kind}`);
    console.info(`STAVE_TEST_SEED=${seed}: ${sent} requests\n${rows.join('\n')}`);
    expect(wrong).toEqual([]);
  });

  it('every operation of a random walk ends, and no work continues', async () => {
    for (const id of await ids('clusters')) await api.post(`/v1/clusters/${id}/actions/resume`);
    await ended('container.create');
    const AT_REST = ['ACTIVE', 'DEGRADED', 'FAILED'];
    const unsettled = async (): Promise<readonly string[]> => {
      const types = ['clusters', 'node-groups', 'nodes'] as const;
      const all = await Promise.all(types.map(type => api.list<ResourceView>(`/v1/${type}?limit=500`)));
      return all
        .flat()
        .flatMap(({ id, name, status = '', statusReason = '' }) =>
          AT_REST.includes(status) ? [] : [`${name} ${id} ${status} ${statusReason}`],
        );
    };
    await eventually(async () => (await unsettled()).length === 0, {
      timeoutMs: 60_000,
      what: 'all work is settled',
    }).catch(async (cause: unknown) => {
      throw new Error(`STAVE_TEST_SEED=${seed}, still under way: ${(await unsettled()).join('; ')}`, { cause });
    });
  });

  it('no unit is left when everything is deleted', async () => {
    await eventually(
      async () => {
        const clusters = await ids('clusters');
        for (const id of clusters) await api.delete(`/v1/clusters/${id}`);
        return clusters.length === 0;
      },
      { timeoutMs: 120_000, everyMs: 500, what: 'the end of every cluster' },
    );
    for (const type of ['cluster-templates', 'node-group-templates'])
      for (const id of await ids(type)) await api.delete(`/v1/${type}/${id}`);
    await ended();
    for (const type of ['clusters', 'node-groups', 'nodes', 'containers']) expect(await ids(type)).toEqual([]);
    await eventually(async () => (await existingUnits(stack.journalPath)).length === 0, {
      timeoutMs: 60_000,
      what: 'the cloud is empty',
    });
  });
});
