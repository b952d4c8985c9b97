import { eventually, expectProblem, expectStatus, uniqueName, type Page } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView } from './views.js';

/** Tests lists, probes and metrics. */
export function describeLists(stack: StackOf): void {
  describe('lists', () => {
    let fleet: Fleet;
    const prefix = uniqueName('list');
    beforeAll(async () => {
      fleet = new Fleet(stack());
      for (let at = 0; at < 7; at++) {
        const labels = { run: prefix, parity: at % 2 === 0 ? 'even' : 'odd', [`stave.test/n${at}`]: 'a,b' };
        const group = {
          count: at < 2 ? 1 : 0,
          zones: [at === 0 ? 'east' : { name: 'west', region: 'eu' }],
          image: `os-${at}`,
        };
        await fleet.cluster({ name: `${prefix}-${at}`, labels, description: 'Of a list' }, [group]);
      }
    });
    const names = async (query: string): Promise<string[]> =>
      (await fleet.api.list<ClusterView>(`/v1/clusters?${query}`)).map(({ name }) => name.slice(prefix.length + 1));

    it('lists are filtered by prefix, label and status, and sorted', async () => {
      expect(await names(`name~=${prefix}&sort=name`)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
      expect(await names(`name~=${prefix}&sort=-name&limit=2`)).toEqual(['6', '5']);
      expect(await names(`labels.run=${prefix}&labels.parity=odd&sort=createdAt`)).toEqual(['1', '3', '5']);
      expect(await names(`labels.run=${prefix}&status=ACTIVE,FAILED&sort=-createdAt&limit=1`)).toEqual(['6']);
      expect(await names(`labels.run=${prefix}&status=FAILED`)).toEqual([]);
      expect(await names(`name=${prefix}-3`)).toEqual(['3']);
    });

    it('list filters accept sets and prefixes, and compare names without regard to case', async () => {
      const upper = prefix.toUpperCase();
      expect(await names(`name=${upper}-3,${prefix}-4&sort=name`)).toEqual(['3', '4']);
      expect(await names(`name~=${upper.slice(0, -1)}&sort=-name&limit=1`)).toEqual(['6']);
      expect(await names(`labels.run~=${prefix}&labels.parity=even,none&sort=name`)).toEqual(['0', '2', '4', '6']);
      expect(await names(`labels.run=${prefix}&labels.parity~=o&sort=name`)).toEqual(['1', '3', '5']);
      expect(await names(`labels.run=${prefix}&labels.stave.test/n5~=`)).toEqual(['5']);
      expect(await names(`labels.run=${prefix}&labels.stave.test/n5=a,b`)).toEqual(['5']);
      expect(await names(`labels.run=${prefix}&labels.stave.test/n5=b`)).toEqual([]);
      expect(await names(`labels.run=${prefix}&driver=fake&health=HEALTHY&description~=Of&sort=name&limit=1`)).toEqual([
        '0',
      ]);
      expect(await names(`labels.run=${prefix}&sort=-nodeCounts.total,-name`)).toEqual([
        '1',
        '0',
        '6',
        '5',
        '4',
        '3',
        '2',
      ]);
    });

    it('lists of nodes and node groups are filtered by the names of their parents and by attributes', async () => {
      const listed = async (path: string): Promise<number> => (await fleet.api.list(path)).length;
      expect(await listed(`/v1/nodes?clusterId=${prefix.toUpperCase()}-0,${prefix}-1`)).toBe(2);
      expect(await listed(`/v1/nodes?clusterId=${prefix}-0&nodeGroupId=w&zone=east&role=worker&schedulable=true`)).toBe(
        1,
      );
      expect(
        await listed(`/v1/nodes?clusterId=${prefix}-0,${prefix}-1&zone~=w&region=eu&image~=os-&flavor.cpus=1,2`),
      ).toBe(1);
      expect(await listed(`/v1/nodes?clusterId=${prefix}-0&ordinal=999`)).toBe(0);
      expect(await listed(`/v1/node-groups?clusterId=${prefix}-0,${prefix}-3&zone=west`)).toBe(1);
      expect(await listed(`/v1/clusters/${prefix}-0/node-groups?name~=W&count=1`)).toBe(1);
      expect(await listed(`/v1/nodes?clusterId=${prefix}-none`)).toBe(0);
      expect(await listed(`/v1/clusters?projectId=DEFAULT&name=${prefix}-0`)).toBe(1);
      const refused = expectProblem(await fleet.api.get('/v1/nodes?nodeGroupId=w'), 409);
      expect(refused.code).toBe('ambiguous-name');
    });

    it('lists of conductors, drivers and rings accept the same parameters', async () => {
      const ids = async (path: string): Promise<string[]> =>
        (await fleet.api.list<{ id: string }>(path)).map(i => i.id);
      const all = await ids('/v1/conductors');
      expect(all).toEqual([...all].sort());
      expect(await ids('/v1/conductors?sort=-name&limit=1&driver=fake')).toEqual(all.slice(-1));
      expect(await ids('/v1/conductors?group=nobody')).toEqual([]);
      expect(await ids('/v1/drivers?name=fake&fields=name')).toEqual(['fake']);
      expect((await ids('/v1/rings?driver=fake')).length).toBeGreaterThan(0);
      expectProblem(await fleet.api.get('/v1/conductors?colour=red'), 400, '?colour');
    });

    it('a list with unknown parameters is refused with all their names', async () => {
      const path = '/v1/nodes?colour=red&sort=colour&clusterId~=a&flavor.cpus=x&schedulable=maybe';
      const { errors = [] } = expectProblem(await fleet.api.get(path), 400);
      expect(errors.map(({ pointer }) => pointer).sort()).toEqual(
        ['?clusterId~', '?colour', '?flavor.cpus', '?schedulable', '?sort'].sort(),
      );
    });

    it('HEAD answers as GET without the body', async () => {
      for (const path of [`/v1/clusters?labels.run=${prefix}`, `/v1/clusters/${prefix}-0`]) {
        const { headers, status } = await fetch(fleet.api.url + path, {
          method: 'HEAD',
          headers: { authorization: `Bearer ${stack().adminKey}` },
        });
        expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      }
    });

    it.each([1, 2, 3, 7, 50])('lists show each item once in pages of %i', async limit => {
      for (const sort of ['name', '-createdAt', 'status,-name']) {
        const found: string[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const path = `/v1/clusters?labels.run=${prefix}&sort=${sort}&limit=${limit}${at}`;
          const page: Page<ClusterView> = await fleet.api.read<Page<ClusterView>>(path);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        expect(found).toHaveLength(7);
        expect(new Set(found).size).toBe(7);
      }
    });

    it('a cursor is accepted only for the same list, order and filter', async () => {
      const query = `labels.run=${prefix}&sort=name&limit=2`;
      const { nextCursor } = await fleet.api.read<Page<ClusterView>>(`/v1/clusters?${query}`);
      const cursor = encodeURIComponent(String(nextCursor));
      expectStatus(await fleet.api.get(`/v1/clusters?${query}&cursor=${cursor}`), 200);
      for (const path of [
        `/v1/clusters?labels.run=${prefix}&sort=-name&limit=2`,
        '/v1/clusters?sort=name&limit=2',
        `/v1/node-groups?${query}`,
        `/v1/operations?limit=2`,
      ])
        expect(expectProblem(await fleet.api.get(`${path}&cursor=${cursor}`), 400, '?cursor').code).toBe(
          'invalid-cursor',
        );
    });

    it('a list at a position beyond the log is refused', async () => {
      const { id, operationId } = await fleet.cluster({}, []);
      const read = [`clusters`, `clusters/${id}`, `clusters/${id}/events`, `operations/${operationId}`];
      const paths = [...read, `operations/${operationId}/events`, 'operations'].map(
        path => `/v1/${path}?minPosition=9000000000000`,
      );
      const answers = await Promise.all(paths.map(path => fleet.api.get(path)));
      for (const answer of answers) expectProblem(answer, 503);
    });

    it('lists return only the requested fields, and the total on request', async () => {
      const page = await fleet.api.read<Page<object>>(
        `/v1/clusters?labels.run=${prefix}&fields=id,name&total=true&limit=2`,
      );
      expect(page.total).toBe(7);
      for (const item of page.items) expect(Object.keys(item).sort()).toEqual(['id', 'name']);
      const path = `/v1/clusters?name=${prefix}-0&fields=labels.parity,nodeCounts.ready,health`;
      const [item] = (await fleet.api.read<Page<ClusterView>>(path)).items;
      expect(item).toEqual({ id: item?.id, labels: { parity: 'even' }, nodeCounts: { ready: 1 }, health: 'HEALTHY' });
      expect(await fleet.api.read(`/v1/clusters/${prefix}-0`)).toMatchObject({
        nodeCounts: { total: 1, ready: 1, byStatus: { ACTIVE: 1 }, byRole: { worker: { total: 1, ready: 1 } } },
        healthReasons: [],
      });
      expectProblem(await fleet.api.get('/v1/clusters?status=SLEEPY'), 400, '?status');
      expectProblem(await fleet.api.get('/v1/clusters?status=ACTIVE&cursor=bm8'), 400, '?cursor');
    });

    it('nodes and node groups of one cluster are listed', async () => {
      const { id } = await fleet.api.read<ClusterView>(`/v1/clusters/${prefix}-0`);
      expect(await fleet.api.list(`/v1/nodes?clusterId=${id}`)).toHaveLength(1);
      expect(await fleet.api.list(`/v1/node-groups?clusterId=${id}&status=ACTIVE`)).toHaveLength(1);
      expect(await fleet.api.list(`/v1/operations?target.id=${id}&status=SUCCEEDED`)).toHaveLength(1);
    });
  });

  describe('probes, documents and metrics', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    it('the probes are answered without a key', async () => {
      const anyone = fleet.api.as('');
      expect(await anyone.read('/healthz')).toMatchObject({ status: 'ok' });
      expect(await anyone.read('/readyz')).toMatchObject({ status: 'ok' });
    });

    it('the product serves its OpenAPI document', async () => {
      const document = await fleet.api
        .as('')
        .read<{ openapi: string; paths: Record<string, unknown> }>('/openapi.json');
      expect(document.openapi).toMatch(/^3\.1/);
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/v1/clusters', '/v1/clusters/{id}', '/v1/events']),
      );
      expect(expectStatus(await fleet.api.as('').get('/docs'), 200).text).toContain('<html');
    });

    it('the metrics count requests', async () => {
      const count = async (): Promise<number> => {
        const { text } = expectStatus(await fleet.api.get('/metrics'), 200);
        const lines = text.split('\n').filter(line => /^[a-z_]*requests?[a-z_]*(total|count)\{/.test(line));
        return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      };
      const before = await count();
      await fleet.api.get('/v1/whoami');
      await eventually(async () => (await count()) > before, { what: 'the count has grown' });
    });
  });
}
