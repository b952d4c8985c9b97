import type { ServiceName } from '@stave/contracts';
import { MemoryDocumentStore } from '@stave/platform';
import { pageIn, type PageOf } from './testing/answers.js';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';

const services = { c: 'cluster-service', n: 'nodegroup-service', s: 'container-scheduler' } as const satisfies Record<
  string,
  ServiceName
>;
const timeOf = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(n / 4))).toISOString();

describe('operations of the gateway', () => {
  let stub: GatewayStub;
  beforeEach(async () => (stub = await GatewayStub.start()));
  afterEach(() => stub.close());

  /** Serves 30 operations, four of them with the same time; one service answers shorter pages than requested. */
  async function serveLists(): Promise<string[]> {
    const store = new MemoryDocumentStore();
    const ids: string[] = [];
    for (const [index, [letter, service]] of Object.entries(services).entries()) {
      const collection = await store.collection(service);
      for (let n = index; n < 30; n += 3) {
        const operation = {
          id: `${letter}-${String(n).padStart(2, '0')}`,
          kind: 'k',
          status: n % 2 ? 'RUNNING' : 'FAILED',
          createdAt: timeOf(n),
        };
        ids.push(operation.id);
        await collection.write([{ replace: { _id: operation.id, ...operation } }]);
      }
      stub.serve(service, 'operation', 'list', async ({ body }) => {
        const { filter, sort, limit } = body as { filter: object; sort: [string, 1 | -1][]; limit: number };
        const found = await collection.find(filter as Record<string, unknown>, { sort, limit: limit + 1 });
        const kept = found.slice(0, letter === 'n' ? 2 : limit);
        const total = await collection.count(filter as Record<string, unknown>);
        return {
          ok: true,
          data: { items: kept, nextCursor: found.length > kept.length ? 'more' : null, total },
        };
      });
    }
    return ids;
  }

  it.each(['createdAt', '-createdAt'])(
    'lists the operations of three services in one order, page by page, sorted by %s',
    async sort => {
      const ids = await serveLists();
      const seen: { id: string; createdAt: string }[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null && pages < 20; pages++) {
        const page: PageOf<{ id: string; createdAt: string }> = await pageIn(
          await stub.call('GET', `/v1/operations?limit=7&sort=${sort}${cursor && `&cursor=${cursor}`}`),
        );
        seen.push(...page.items);
        cursor = page.nextCursor;
      }
      const order = seen.map(({ createdAt, id }) => `${createdAt} ${id}`);
      expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(ids));
      expect(seen).toHaveLength(30);
      expect(order).toEqual(sort === 'createdAt' ? [...order].sort() : [...order].sort().reverse());
    },
  );

  it('refuses a cursor of another order or filter', async () => {
    await serveLists();
    const { nextCursor } = await pageIn(await stub.call('GET', '/v1/operations?limit=7&status=RUNNING'));
    const status = async (query: string): Promise<number> =>
      (await stub.call('GET', `/v1/operations?${query}&cursor=${nextCursor}`)).status;
    expect(await status('status=RUNNING&limit=9')).toBe(200);
    expect(await status('status=RUNNING&sort=createdAt')).toBe(400);
    expect(await status('limit=7')).toBe(400);
  });

  it('filters and counts operations over all services', async () => {
    await serveLists();
    const page = await pageIn<{ status: string }>(
      await stub.call('GET', '/v1/operations?status=RUNNING&total=true&limit=50'),
    );
    expect([page.total, new Set(page.items.map(({ status }) => status))]).toEqual([15, new Set(['RUNNING'])]);
  });

  it('finds operations by the name of their cluster', async () => {
    await serveLists();
    const id = '0198c5a0-0000-7000-8000-000000000007';
    stub.serve('cluster-service', 'cluster', 'get', ({ body }) =>
      body['id'] === 'web'
        ? { ok: true, data: { id, name: 'web' } }
        : { ok: false, error: { code: 'not-found', kind: 'not-found', detail: 'the cluster does not exist' } },
    );
    const asked = async (refs: string): Promise<string> => {
      expect((await stub.call('GET', `/v1/operations?clusterId=${refs}`)).status).toBe(200);
      return JSON.stringify(stub.seen.findLast(({ subject }) => subject.endsWith('operation.list'))?.request.body);
    };
    expect(await asked('web')).toContain(`"clusterId":"${id}"`);
    expect(await asked(`${id},none`)).toContain(`"clusterId":{"$in":["${id}","none"]}`);
  });

  it('answers 503 instead of an incomplete list when a service does not run', async () => {
    expect((await stub.call('GET', '/v1/operations')).status).toBe(503);
  });

  it('reads an operation from its service, which waits as long as the request', async () => {
    let asked = 0;
    stub.serve('nodegroup-service', 'operation', 'get', async ({ body }) => {
      expect(body['waitMs']).toBeGreaterThan(0);
      const status = ++asked < 3 ? 'RUNNING' : 'SUCCEEDED';
      return { ok: true, data: { id: body['id'], kind: 'k', status }, position: 9 };
    });
    const answer = await stub.call('GET', '/v1/operations/n-1?wait=30s');
    expect(await answer.json()).toMatchObject({ id: 'n-1', status: 'SUCCEEDED' });
    expect([answer.headers.get('stave-position'), asked]).toEqual(['9', 3]);
  });

  it('cancels an operation with 202, and answers 409 once it has ended', async () => {
    stub.serve('container-scheduler', 'operation', 'cancel', async ({ body }) =>
      body['id'] === 's-1'
        ? { ok: true, data: { id: 's-1', kind: 'k', status: 'RUNNING' }, position: 4 }
        : { ok: false, error: { code: 'operation-ended', kind: 'conflict', detail: 'has ended' } },
    );
    const accepted = await stub.call('POST', '/v1/operations/s-1/cancel');
    expect([accepted.status, accepted.headers.get('location')]).toEqual([202, '/v1/operations/s-1']);
    expect((await stub.call('POST', '/v1/operations/s-2/cancel')).status).toBe(409);
  });

  it('shows the events with the id of an operation', async () => {
    const createdAt = new Date().toISOString();
    stub.serve('cluster-service', 'operation', 'get', async () => ({
      ok: true,
      data: { id: 'c-1', kind: 'k', status: 'RUNNING', createdAt },
    }));
    for (const operationId of ['c-1', 'c-2', 'c-1'])
      await stub.store.append('cluster-a', [anEvent('ClusterUpdated', { operationId })], 'any');
    const page = await pageIn(await stub.call('GET', '/v1/operations/c-1/events'));
    expect(page.items.map(event => [event.operationid, event.revision])).toEqual([
      ['c-1', 0],
      ['c-1', 2],
    ]);
  });
});
