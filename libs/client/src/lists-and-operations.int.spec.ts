import { OperationError, StaveClient, WaitTimeoutError, type Operation } from './index.js';
import { json, problem, ScriptedServer, type Reply } from './scripted-server.fixture.js';

let server: ScriptedServer;
afterEach(() => server?.close());

async function clientOf(...replies: Reply[]): Promise<StaveClient> {
  server = await ScriptedServer.start(...replies);
  return new StaveClient({ url: server.url, retry: { delayMs: 1 } });
}

const urls = (): string[] => server.requests.map(({ url }) => url);
const page = (names: readonly string[], nextCursor: string | null): Reply =>
  json({ items: names.map(name => ({ name })), nextCursor });
const operation = (status: string, more: object = {}): Reply =>
  json({ id: 'c-1', kind: 'cluster.create', status, progress: { done: 1, total: 4, percent: 25 }, ...more });

describe('lists', () => {
  it('items are those of all pages in their order, and each page is read once', async () => {
    const stave = await clientOf(
      page(['a', 'b'], 'n/1='),
      problem(429, 'r', { 'retry-after': '0' }),
      page(['c'], null),
    );
    const names: string[] = [];
    for await (const { name } of stave.items('/v1/clusters', { query: { status: 'ACTIVE' } })) names.push(name);
    expect(names).toEqual(['a', 'b', 'c']);
    const second = '/v1/clusters?status=ACTIVE&cursor=n%2F1%3D';
    expect(urls()).toEqual(['/v1/clusters?status=ACTIVE', second, second]);
  });

  it('no page is read that the reader does not need', async () => {
    const stave = await clientOf(page(['a', 'b'], 'next'));
    for await (const { name } of stave.items('/v1/clusters')) if (name === 'b') break;
    expect(urls()).toHaveLength(1);
  });

  it('pages show their totals', async () => {
    const stave = await clientOf(json({ items: [], nextCursor: null, total: 7 }));
    const totals: unknown[] = [];
    for await (const { total } of stave.pages('/v1/clusters', { query: { total: true } })) totals.push(total);
    expect(totals).toEqual([7]);
  });
});

describe('wait', () => {
  it('waits with long requests until the operation has succeeded', async () => {
    const stave = await clientOf(operation('PENDING'), operation('RUNNING'), operation('SUCCEEDED'));
    await expect(stave.wait('c-1')).resolves.toMatchObject({ status: 'SUCCEEDED' });
    expect(urls()).toEqual([
      '/v1/operations/c-1',
      '/v1/operations/c-1?wait=20000ms',
      '/v1/operations/c-1?wait=20000ms',
    ]);
  });

  it('an answer that started an operation can be awaited; another one has nothing to wait for', async () => {
    const stave = await clientOf(json({}, { location: '/v1/operations/c-1' }, 202), operation('SUCCEEDED'), json({}));
    const accepted = await stave.delete('/v1/clusters/{id}', { path: { id: 'a' } });
    await expect(stave.wait(accepted)).resolves.toMatchObject({ id: 'c-1' });
    await expect(stave.wait(await stave.get('/v1/whoami'))).resolves.toBeUndefined();
  });

  it.each(['FAILED', 'CANCELLED'])('an operation that ended %s is an error with the operation', async status => {
    const stave = await clientOf(operation(status, { error: { code: 'image-missing', detail: 'no image' } }));
    const error: unknown = await stave.wait('c-1').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperationError);
    expect(error).toMatchObject({ operation: { status }, message: expect.stringContaining('image-missing') });
  });

  it('the wait ends after its time with the operation that still runs', async () => {
    const stave = await clientOf(operation('RUNNING'));
    const error: unknown = await stave.wait('c-1', { timeoutMs: 5 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ operation: { status: 'RUNNING' }, message: expect.stringContaining('25 %') });
  });

  it('progress is reported with every answer, the end included', async () => {
    const stave = await clientOf(operation('RUNNING'), operation('RUNNING'), operation('SUCCEEDED'));
    const seen: Operation['status'][] = [];
    await stave.wait('c-1', { onProgress: ({ status }) => seen.push(status) });
    expect(seen).toEqual(['RUNNING', 'RUNNING', 'SUCCEEDED']);
    expect(urls()[1]).toBe('/v1/operations/c-1?wait=1000ms');
  });
});

describe('plans', () => {
  it('a plan changes nothing, and apply sends the same request with its token and always the same key', async () => {
    const plan = { planToken: 'p7', events: [], diff: [], steps: [] };
    const stave = await clientOf(json(plan), json({ id: 'g' }, { location: '/v1/operations/n-1' }, 202));
    const options = { path: { id: 'shop' }, body: { description: 'new' }, ifMatch: '"3"' };
    const planned = await stave.plan('patch', '/v1/clusters/{id}', options);
    expect(planned.data).toEqual(plan);
    await expect(planned.apply()).resolves.toMatchObject({ operationId: 'n-1' });
    await planned.apply();
    expect(urls()).toEqual([
      '/v1/clusters/shop?dryRun=true',
      '/v1/clusters/shop?planToken=p7',
      '/v1/clusters/shop?planToken=p7',
    ]);
    expect(new Set(server.requests.map(({ body }) => body))).toEqual(new Set(['{"description":"new"}']));
    const headers = server.requests.map(request => request.headers);
    expect(headers.map(({ 'if-match': etag }) => etag)).toEqual(['"3"', '"3"', '"3"']);
    expect(headers[1]?.['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(headers[2]?.['idempotency-key']).toBe(headers[1]?.['idempotency-key']);
  });

  it('apply is refused when the plan is stale', async () => {
    const stave = await clientOf(json({ planToken: 'p7' }), problem(409, 'plan-stale', {}, { changed: ['steps'] }));
    const planned = await stave.plan('post', '/v1/clusters', { body: { driver: 'fake' } });
    await expect(planned.apply()).rejects.toMatchObject({ code: 'plan-stale', problem: { changed: ['steps'] } });
  });
});
