import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, expectStatus, type StaveClient } from '@stave/testing';
import { people, SignedInProduct } from '../identity/signed-in-product.js';

jest.setTimeout(300_000);

interface Entry {
  readonly id: string;
  readonly time: string;
  readonly subject: string;
  readonly operation: string;
  readonly outcome: string;
  readonly status: number;
  readonly code?: string;
  readonly projectId: string | null;
  readonly correlationId: string;
  readonly target?: { readonly type: string; readonly id: string };
}

interface Page {
  readonly items: readonly Entry[];
  readonly nextCursor: string | null;
}

const template = (): object => ({ name: `t-${randomUUID().slice(0, 8)}` });

describe('the audit', () => {
  let product: SignedInProduct;
  let admin: StaveClient;
  beforeAll(async () => {
    product = await SignedInProduct.start();
    ({ admin } = product);
  });
  afterAll(() => product.close());

  const page = (query: string): Promise<Page> => admin.read<Page>(`/v1/audit?${query}`);
  const found = (query: string, count: number): Promise<readonly Entry[]> =>
    eventually(async () => {
      const { items } = await page(query);
      return items.length >= count && items;
    }, `${count} entries of ${query}`);

  it('says who did what, when, from where and with which outcome, and who was refused', async () => {
    const dora = await product.as(people.developer);
    const made = await dora.post<{ id: string }>('/v1/cluster-templates', template());
    const { id } = expectStatus(made, 201).body;
    expectProblem(await dora.post('/v1/projects', { name: 'mine' }), 403);
    expectProblem(await dora.delete('/v1/cluster-templates/absent'), 404);
    const entries = await found('subject=dora', 3);
    const common = {
      subject: 'dora',
      name: 'Name of dora',
      method: 'jwt',
      from: expect.stringMatching(/127\.0\.0\.1$/),
    };
    const projectId = product.projectIds['shop'];
    expect(entries).toMatchObject([
      { ...common, operation: 'deleteClusterTemplate', outcome: 'refused', status: 404, code: 'not-found', projectId },
      { ...common, operation: 'createProject', outcome: 'refused', status: 403, code: 'forbidden', projectId },
      {
        ...common,
        operation: 'createClusterTemplate',
        outcome: 'accepted',
        status: 201,
        projectId,
        target: { type: 'clusterTemplate', id },
        correlationId: made.headers.get('x-correlation-id'),
      },
    ]);
    expect(entries[0]).not.toHaveProperty('keyId');
  });

  it('has what an operator does in a project, with what it is done to, also where the answer has no body', async () => {
    const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } }];
    const cluster = { name: 'audited', driver: 'fake', nodeGroups };
    const { id } = await admin.succeed<{ id: string }>(admin.post('/v1/clusters', cluster));
    const group = await admin.read<{ id: string }>('/v1/clusters/audited/node-groups/w');
    const policy = { name: 'kept', type: 'placement', properties: { scorers: { spread: 2 } } };
    const kept = expectStatus(await admin.post<{ id: string }>('/v1/policies', policy), 201).body;
    expectStatus(await admin.put('/v1/clusters/audited/policies/kept', {}), 200);
    expectStatus(await admin.delete('/v1/clusters/audited/policies/kept'), 204);
    expectStatus(await admin.delete('/v1/policies/kept'), 204);
    expectStatus(await admin.delete('/v1/clusters/audited/node-groups/w'), 202);
    const done = [
      ['deleteClusterNodeGroup', { type: 'nodeGroup', id: group.id }],
      ['deletePolicy', { type: 'policy', id: kept.id }],
      ['detachPolicyFromCluster', { type: 'cluster', id }],
      ['attachPolicyToCluster', { type: 'cluster', id }],
      ['createPolicy', { type: 'policy', id: kept.id }],
      ['createCluster', { type: 'cluster', id }],
    ];
    const entries = await found('projectId=default', done.length);
    expect(entries.map(({ operation, target }) => [operation, target])).toEqual(done);
  });

  it('is filtered, newest first, and read in pages that neither repeat nor leave out entries', async () => {
    const key = { project: 'books', role: 'member' };
    const made = await admin.post<{ id: string; key: string }>('/v1/api-keys', key);
    const { id, key: secret } = expectStatus(made, 201).body;
    const member = admin.as(secret);
    for (let i = 0; i < 5; i++) expectStatus(await member.post('/v1/cluster-templates', template()), 201);
    expectProblem(await member.put('/v1/projects/books/members/eva', { role: 'admin' }), 403);
    const all = await found(`subject=${id}`, 6);
    expect(all.map(({ time }) => time)).toEqual([...all.map(({ time }) => time)].sort().reverse());
    const paged: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: Page = await page(`subject=${id}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...next.items);
      cursor = next.nextCursor;
    }
    expect(paged).toEqual(all);
    const of = async (query: string): Promise<number> => (await page(`subject=${id}&${query}`)).items.length;
    expect(await of('outcome=refused')).toBe(1);
    expect(await of('code=forbidden&operation=setProjectMember')).toBe(1);
    expect(await of('operation=createClusterTemplate')).toBe(5);
    expect(await of(`projectId=${product.projectIds['books']}`)).toBe(6);
    expect(await of('projectId=books')).toBe(6);
    expect(await of(`projectId=${product.projectIds['shop']}`)).toBe(0);
    expect(await of(`since=${all[2]?.time}`)).toBe(3);
    expect(await of(`since=${encodeURIComponent('2999-01-01T00:00:00Z')}`)).toBe(0);
    expect(JSON.stringify(await page('limit=500'))).not.toContain(secret);
  });

  it('names what was deleted by its id, and the member whose role was changed', async () => {
    const { name } = template() as { readonly name: string };
    const { id } = expectStatus(await admin.post<{ id: string }>('/v1/cluster-templates', { name }), 201).body;
    expectStatus(await admin.delete(`/v1/cluster-templates/${name}`), 204);
    const member = '/v1/projects/books/members/auth0%7Cpia';
    expectStatus(await admin.put(member, { role: 'reader' }), 200);
    expectStatus(await admin.delete(member), 204);
    expectProblem(await admin.delete(member), 404);
    const books = product.projectIds['books'];
    const targetOf = async (query: string): Promise<unknown> => (await found(query, 1))[0]?.target;
    const pia = { type: 'projectMember', id: `${books}/auth0|pia` };
    expect(await targetOf('outcome=accepted&operation=deleteClusterTemplate')).toEqual({ type: 'clusterTemplate', id });
    expect(await targetOf('outcome=accepted&operation=setProjectMember')).toEqual(pia);
    expect(await targetOf('outcome=accepted&operation=removeProjectMember')).toEqual(pia);
    const asNamed = { ...pia, id: 'books/auth0|pia' };
    expect(await targetOf('outcome=refused&operation=removeProjectMember')).toEqual(asNamed);
    expect((await found('outcome=accepted&operation=setProjectMember', 1))[0]).toMatchObject({ projectId: books });
  });

  it('is for operators only, in no stream of events, and changed by nobody', async () => {
    const leader = await admin.post<{ key: string }>('/v1/api-keys', { project: 'shop', role: 'admin' });
    expectProblem(await admin.as(expectStatus(leader, 201).body.key).get('/v1/audit'), 403);
    expectProblem(await admin.delete('/v1/audit'), 405);
    expectProblem(await admin.get('/v1/audit?unknown=1'), 400);
    expectProblem(await admin.get('/v1/audit?since=yesterday'), 400);
    expectProblem(await admin.get('/v1/audit?operation=createClutser'), 400);
    const { items } = await admin.read<{ items: readonly { type: string }[] }>('/v1/events?since=start&limit=500');
    expect(items.filter(({ type }) => type.toLowerCase().includes('audit'))).toEqual([]);
  });

  it('is still there after the product was killed', async () => {
    const before = await found('operation=createProject', 3);
    await product.killed();
    ({ admin } = product);
    expect((await page('operation=createProject')).items).toEqual(before);
  });
});
