import { ConnectionError, ProblemError, StaveClient, type StaveEvent } from '@stave/client';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repositoryRoot, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';

jest.setTimeout(240_000);

const nodeGroups = [{ name: 'workers', role: 'worker' as const, count: 2, flavor: { cpus: 2, memoryMb: 4096 } }];
const groupPath = '/v1/clusters/{clusterId}/node-groups/{id}';

/** Resolves with the first event that is selected, and with the events before it. */
async function until(
  events: AsyncIterable<StaveEvent>,
  selects: (event: StaveEvent) => boolean,
): Promise<StaveEvent[]> {
  const seen: StaveEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (selects(event)) break;
  }
  return seen;
}

describe('@stave/client against the product', () => {
  let stack: EmbeddedStack;
  let stave: StaveClient;
  beforeAll(async () => {
    stack = await EmbeddedStack.start();
    stave = new StaveClient({ url: stack.url, token: stack.adminKey });
  });
  afterAll(() => stack?.close());

  const create = async (name: string): Promise<{ readonly id: string; readonly etag: string | undefined }> => {
    const accepted = await stave.post('/v1/clusters', { body: { name, driver: 'fake', nodeGroups } });
    const operation = await stave.wait(accepted);
    expect(operation).toMatchObject({ status: 'SUCCEEDED', target: { id: accepted.data.id } });
    return { id: accepted.data.id, etag: accepted.etag };
  };

  it('a cluster is created, awaited, read after the change and listed over pages', async () => {
    const prefix = uniqueName('page');
    const names = [`${prefix}-a`, `${prefix}-b`, `${prefix}-c`];
    for (const name of names) await create(name);
    const listed: string[] = [];
    const query = { 'name~': prefix, sort: 'name', limit: 1 };
    for await (const { name, status } of stave.items('/v1/clusters', { query })) {
      listed.push(name);
      expect(status).toBe('ACTIVE');
    }
    expect(listed).toEqual(names);
  });

  it('a change with an old ETag is refused, and one with the present ETag is made', async () => {
    const path = { id: (await create(uniqueName('etag'))).id };
    const { etag } = await stave.get('/v1/clusters/{id}', { path });
    const changed = await stave.patch('/v1/clusters/{id}', { path, body: { description: 'one' }, ifMatch: etag });
    await stave.wait(changed);
    const late = stave.patch('/v1/clusters/{id}', { path, body: { description: 'two' }, ifMatch: etag });
    await expect(late).rejects.toMatchObject({ status: 412, code: 'revision-mismatch' });
    const { data } = await stave.get('/v1/clusters/{id}', { path, query: { fields: 'description' } });
    expect(data).toMatchObject({ id: path.id, description: 'one' });
  });

  it('a refusal names every wrong field', async () => {
    const body = { name: '-', driver: 'fake', nodeGroups: [{ role: 'worker' as const, count: -1 }] };
    const error: unknown = await stave.post('/v1/clusters', { body }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    const pointers = (error as ProblemError).errors.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/name', '/nodeGroups/0/count']));
  });

  it('a plan shows its steps, and apply makes exactly these once', async () => {
    const { id } = await create(uniqueName('plan'));
    const path = { clusterId: id, id: 'workers' };
    const plan = await stave.plan('patch', groupPath, { path, body: { count: 3 } });
    expect(plan.data.steps.map(({ action }) => action)).toContain('create');
    expect((await stave.get(groupPath, { path })).data.count).toBe(2);
    const first = await plan.apply();
    const repeated = await plan.apply();
    expect(repeated.operationId).toBe(first.operationId);
    await stave.wait(first);
    const { data } = await stave.get(groupPath, { path });
    expect(data).toMatchObject({ count: 3, nodesReady: 3 });
    const stale = await stave.plan('patch', groupPath, { path, body: { count: 5 } });
    await stave.wait(await stave.patch(groupPath, { path, body: { count: 4 } }));
    await expect(stale.apply()).rejects.toMatchObject({ code: 'plan-stale', status: 409 });
  });

  it('a wrong credential is refused and is shown in no error', async () => {
    const stranger = new StaveClient({ url: stack.url, token: 'stv_wrong_key' });
    const error: unknown = await stranger.get('/v1/whoami').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 401 });
    expect(String(error)).not.toContain('stv_wrong_key');
  });

  it('events continue without gap or duplicate when the product is killed and started again', async () => {
    const port = new URL(stack.url).port;
    const name = uniqueName('killed');
    const lost: unknown[] = [];
    const follower = new StaveClient({ url: stack.url, token: stack.adminKey, retry: { maxDelayMs: 500 } });
    const events = follower.events({ from: 'start', onDisconnect: error => lost.push(error) });
    const isCreated = ({ type, data }: StaveEvent): boolean =>
      type.startsWith('stave.cluster.created') && data['name'] === name;
    const before: StaveEvent[] = [(await events.next()).value as StaveEvent];

    await stack.end('SIGKILL');
    const unreachable = new StaveClient({ url: stack.url, token: stack.adminKey, retry: { attempts: 2, delayMs: 1 } });
    await expect(unreachable.get('/v1/whoami')).rejects.toBeInstanceOf(ConnectionError);
    // the call begins while nothing answers, and is repeated until the product has started again
    const patient = new StaveClient({
      url: stack.url,
      token: stack.adminKey,
      retry: { attempts: 200, maxDelayMs: 500 },
    });
    const creating = patient.post('/v1/clusters', { body: { name, driver: 'fake' } });
    const following = until(events, isCreated);
    stack = await EmbeddedStack.start(stack.dataDir, { PORT: port });
    await creating;
    const seen = [...before, ...(await following)];

    const listed: string[] = [];
    for await (const event of patient.items('/v1/events', { query: { from: 'start' } })) {
      listed.push(event.id);
      if (event.id === seen.at(-1)?.id) break;
    }
    expect(seen.map(({ id }) => id)).toEqual(listed);
    expect(seen.filter(isCreated)).toHaveLength(1);
    expect(lost.length).toBeGreaterThan(0);
  });

  it.each([
    ['import', "import { StaveClient } from '@stave/client';", '--input-type=module'],
    ['require', "const { StaveClient } = require('@stave/client');", '--input-type=commonjs'],
  ])('a program loads the built package with %s', async (_, load, type) => {
    const program = `${load}
      const { STAVE_URL: url, STAVE_TOKEN: token } = process.env;
      new StaveClient({ url, token }).get('/v1/whoami').then(({ data }) => console.log(data.role));`;
    const env = { ...process.env, NODE_OPTIONS: '', STAVE_URL: stack.url, STAVE_TOKEN: stack.adminKey };
    const run = promisify(execFile)(process.execPath, [type, '-e', program], { cwd: repositoryRoot(), env });
    expect((await run).stdout.trim()).toBe('admin');
  });
});
