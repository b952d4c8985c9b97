import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, expectStatus, type StaveClient } from '@stave/testing';
import { AUDIENCE, people, SignedInProduct } from '../identity/signed-in-product.js';

jest.setTimeout(300_000);

interface Members {
  readonly items: readonly { readonly subject: string; readonly role: string }[];
  readonly nextCursor: string | null;
}

interface Whoami {
  readonly projects: readonly { readonly name: string; readonly role: string }[];
}

const inProject = (name: string) => ({ headers: { 'stave-project': name } });
const template = (): object => ({ name: `t-${randomUUID().slice(0, 8)}` });

describe('members of projects', () => {
  let product: SignedInProduct;
  let admin: StaveClient;
  beforeAll(async () => {
    product = await SignedInProduct.start();
    ({ admin } = product);
  });
  afterAll(() => product.close());

  const path = (project: string, subject: string): string =>
    `/v1/projects/${project}/members/${encodeURIComponent(subject)}`;

  const rolesOf = async (client: StaveClient): Promise<Record<string, string>> => {
    const { projects } = await client.read<Whoami>('/v1/whoami');
    return Object.fromEntries(projects.map(({ name, role }) => [name, role]));
  };
  const becomes = (client: StaveClient, roles: object): Promise<unknown> =>
    eventually(async () => JSON.stringify(await rolesOf(client)) === JSON.stringify(roles), {
      what: `the roles are ${JSON.stringify(roles)}`,
    });

  it('a member gets the role within seconds, another one after a change, and none after the removal', async () => {
    const nils = await product.as(people.nobody);
    expectProblem(await nils.get('/v1/clusters'), 403);
    const set = await admin.put(path('shop', 'nils'), { role: 'reader' });
    expect(expectStatus(set, 200).body).toEqual({ subject: 'nils', role: 'reader' });
    await becomes(nils, { shop: 'reader' });
    expectStatus(await nils.get('/v1/clusters'), 200);
    expectProblem(await nils.post('/v1/cluster-templates', template()), 403);
    expectStatus(await admin.put(path('shop', 'nils'), { role: 'member' }), 200);
    await becomes(nils, { shop: 'member' });
    expectStatus(await nils.post('/v1/cluster-templates', template()), 201);
    expectStatus(await admin.delete(path('shop', 'nils')), 204);
    await becomes(nils, {});
    expectProblem(await nils.get('/v1/clusters'), 403);
    expectProblem(await admin.delete(path('shop', 'nils')), 404);
  });

  it('the strongest of the roles by rules and by membership counts', async () => {
    const ben = await product.as(people.both);
    expectStatus(await admin.put(path('shop', 'ben'), { role: 'reader' }), 200);
    expectStatus(await admin.put(path('books', 'ben'), { role: 'admin' }), 200);
    await becomes(ben, { shop: 'member', books: 'admin' });
    expectStatus(await ben.get('/v1/api-keys', inProject('books')), 200);
    expectStatus(await admin.delete(path('books', 'ben')), 204);
    await becomes(ben, { shop: 'member', books: 'reader' });
  });

  it('admins of the project decide about members, readers list them, and other projects do not exist', async () => {
    const [subject, odd] = ['auth0|eva@example.com', 'a/b c%é'];
    const keyOf = async (role: string): Promise<StaveClient> => {
      const made = await admin.post<{ key: string }>('/v1/api-keys', { project: 'books', role });
      return admin.as(expectStatus(made, 201).body.key);
    };
    const [own, member, reader] = [await keyOf('admin'), await keyOf('member'), await keyOf('reader')];
    expectProblem(await member.put(path('books', subject), { role: 'reader' }), 403);
    expectProblem(await own.put(path('shop', subject), { role: 'reader' }), 404);
    const aKey = `stv_${'a'.repeat(32)}`;
    for (const wrong of [aKey, ' ']) expectProblem(await own.put(path('books', wrong), { role: 'reader' }), 404);
    expect((await own.get('/v1/projects/books/events')).text).not.toContain(aKey);
    for (const each of [subject, odd]) expectStatus(await own.put(path('books', each), { role: 'reader' }), 200);
    const first = await reader.read<Members>('/v1/projects/books/members?limit=1');
    expect(Buffer.from(first.nextCursor ?? '', 'base64url').toString()).toMatch(/^\["/);
    expectStatus(await admin.put(path('shop', subject), { role: 'reader' }), 200);
    for (const wrong of ['a/b', first.nextCursor ?? '']) {
      const refused = await admin.get(`/v1/projects/shop/members?cursor=${encodeURIComponent(wrong)}`);
      expect(expectProblem(refused, 400)).toMatchObject({ errors: [{ pointer: '?cursor', code: 'invalid-cursor' }] });
    }
    expectStatus(await admin.delete(path('shop', subject)), 204);
    const rest = await reader.read<Members>(
      `/v1/projects/books/members?cursor=${encodeURIComponent(first.nextCursor ?? '')}`,
    );
    const all = [...first.items, ...rest.items];
    expect(all).toEqual(expect.arrayContaining([subject, odd].map(each => ({ subject: each, role: 'reader' }))));
    expect(all.map(each => each.subject)).toEqual([...new Set(all.map(each => each.subject))].sort());
    expectProblem(await reader.get('/v1/projects/shop/members'), 404);
    expect(expectProblem(await own.put(path('books', subject), { role: 'operator' }), 400)).toMatchObject({
      errors: [{ pointer: '/role' }],
    });
    expectProblem(await own.put(path('books', 'a\nb'), { role: 'reader' }), 404);
  });

  it('a plan shows the member and changes nothing, and the history names the subject', async () => {
    const plan = await admin.put<{ diff: object[] }>(`${path('books', 'pia')}?dryRun=true`, { role: 'member' });
    expect(expectStatus(plan, 200).body.diff).toEqual(
      expect.arrayContaining([expect.objectContaining({ pointer: '/members/pia', to: 'member' })]),
    );
    const { items } = await admin.read<Members>('/v1/projects/books/members');
    expect(items.map(({ subject }) => subject)).not.toContain('pia');
    expectStatus(await admin.put(path('books', 'pia'), { role: 'member' }), 200);
    const events = await admin.read<{ items: readonly object[] }>('/v1/projects/books/events?limit=500');
    expect(JSON.stringify(events.items)).toContain('"pia"');
  });

  it('a stream that a member opened ends with the membership', async () => {
    expectStatus(await admin.put(path('shop', 'nils'), { role: 'reader' }), 200);
    const nils = await product.as(people.nobody);
    await becomes(nils, { shop: 'reader' });
    const headers = { authorization: `Bearer ${await product.issuer.token(people.nobody, AUDIENCE)}` };
    const stream = await fetch(`${product.stack.url}/v1/events`, { headers });
    expect(stream.status).toBe(200);
    expectStatus(await admin.delete(path('shop', 'nils')), 204);
    await stream.text();
    await becomes(nils, {});
  });

  it('a membership survives that the product is killed', async () => {
    expectStatus(await admin.put(path('books', 'nils'), { role: 'member' }), 200);
    await product.killed();
    ({ admin } = product);
    await becomes(await product.as(people.nobody), { books: 'member' });
    expectStatus(await admin.delete(path('books', 'nils')), 204);
  });

  it('a disabled project keeps its members, who cannot be changed; the members of a deleted one have no role in it', async () => {
    const name = `team-${randomUUID().slice(0, 8)}`;
    expectStatus(await admin.post('/v1/projects', { name }), 201);
    expectStatus(await admin.put(path(name, 'nils'), { role: 'admin' }), 200);
    const nils = await product.as(people.nobody);
    await becomes(nils, { [name]: 'admin' });
    expectStatus(await admin.post(`/v1/projects/${name}/actions/disable`), 200);
    expect(expectProblem(await admin.put(path(name, 'nils'), { role: 'reader' }), 403).code).toBe('project-disabled');
    expect(expectProblem(await admin.delete(path(name, 'nils')), 403).code).toBe('project-disabled');
    expectStatus(await nils.get(`/v1/projects/${name}/members`), 200);
    expectStatus(await admin.post(`/v1/projects/${name}/actions/enable`), 200);
    expectStatus(await admin.delete(`/v1/projects/${name}`), 204);
    await becomes(nils, {});
    expectProblem(await admin.get(`/v1/projects/${name}/members`), 404);
  });
});
