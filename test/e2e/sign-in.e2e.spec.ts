import { randomUUID } from 'node:crypto';
import { expectProblem, expectStatus, eventually, type StaveClient } from '@stave/testing';
import type { JWK } from 'jose';
import { signingKey } from '../identity/oidc-issuer.js';
import { people, SHORT, SignedInProduct } from '../identity/signed-in-product.js';
import type { ResourceView } from './views.js';

jest.setTimeout(300_000);

interface Whoami {
  readonly subject: string;
  readonly operator: boolean;
  readonly projects: readonly { readonly id: string; readonly name: string; readonly role: string }[];
}

const inProject = (name: string) => ({ headers: { 'stave-project': name } });
const template = (): object => ({ name: `t-${randomUUID().slice(0, 8)}` });

describe('signing in with tokens of an OpenID Connect provider', () => {
  let product: SignedInProduct;
  let key: JWK;
  beforeAll(async () => {
    product = await SignedInProduct.start();
    ({ key } = product);
  });
  afterAll(() => product.close());

  it('whoami names subject, issuer, end and the projects with the strongest role', async () => {
    const { body } = await (await product.as(people.both)).get<Whoami>('/v1/whoami');
    expect(body).toEqual({
      subject: 'ben',
      name: 'Name of ben',
      method: 'jwt',
      issuer: product.issuer.url,
      expiresAt: expect.stringMatching(/Z$/),
      operator: false,
      projects: [
        { id: product.projectIds['shop'], name: 'shop', role: 'member' },
        { id: product.projectIds['books'], name: 'books', role: 'reader' },
      ],
    });
  });

  it('somebody with one project works in it with the role of the rule, and finds no other', async () => {
    const dora = await product.as(people.developer);
    const { id, ...made } = expectStatus(
      await dora.post<ResourceView & { readonly projectId: string }>('/v1/cluster-templates', template()),
      201,
    ).body;
    expect(made.projectId).toBe(product.projectIds['shop']);
    expectProblem(await dora.get('/v1/api-keys'), 403);
    expectProblem(await dora.post('/v1/projects', { name: 'mine' }), 403);
    expectProblem(await dora.get(`/v1/projects/${product.projectIds['books']}`), 404);
    const { items } = await dora.read<{ items: readonly object[] }>(`/v1/cluster-templates/${id}/events`);
    expect(items[0]).toMatchObject({
      actor: 'dora',
      actorname: 'Name of dora',
      actormethod: 'jwt',
      actorissuer: product.issuer.url,
      project: product.projectIds['shop'],
    });
  });

  it('somebody with several projects chooses one with Stave-Project, and its role counts', async () => {
    const ben = await product.as(people.both);
    const answer = await ben.post('/v1/cluster-templates', template());
    expect(expectProblem(answer, 400)).toMatchObject({
      code: 'project-required',
      errors: [{ pointer: 'Stave-Project' }],
    });
    expectStatus(await ben.post('/v1/cluster-templates', template(), inProject('shop')), 201);
    expectStatus(await ben.get('/v1/cluster-templates', inProject(product.projectIds['books'] ?? '')), 200);
    expectProblem(await ben.post('/v1/cluster-templates', template(), inProject('books')), 403);
    expectProblem(await ben.get('/v1/cluster-templates', inProject('default')), 404);
    expectProblem(await ben.get('/v1/cluster-templates', inProject('absent')), 404);
    expectProblem(await ben.get('/v1/api-keys'), 403);
  });

  it('a claim makes an operator, who works in every project and chooses where creations go', async () => {
    const olga = await product.as(people.operator);
    expect((await olga.get<Whoami>('/v1/whoami')).body).toMatchObject({ operator: true, subject: 'olga' });
    expectStatus(await olga.post('/v1/projects', { name: `team-${randomUUID()}` }), 201);
    const created = await olga.post<{ projectId: string }>('/v1/cluster-templates', template(), inProject('books'));
    expect(expectStatus(created, 201).body.projectId).toBe(product.projectIds['books']);
    const other = await olga.post<{ projectId: string }>('/v1/cluster-templates', template());
    expect(expectStatus(other, 201).body.projectId).toBe('default');
  });

  it('an API key takes Stave-Project too: operators choose, others name their own project only', async () => {
    const created = await product.admin.post<{ projectId: string }>(
      '/v1/cluster-templates',
      template(),
      inProject('shop'),
    );
    expect(expectStatus(created, 201).body.projectId).toBe(product.projectIds['shop']);
    const made = await product.admin.post<{ key: string }>('/v1/api-keys', { project: 'shop', role: 'member' });
    const member = product.admin.as(expectStatus(made, 201).body.key);
    expectStatus(await member.get('/v1/cluster-templates', inProject('Shop')), 200);
    expectProblem(await member.get('/v1/cluster-templates', inProject('books')), 404);
  });

  it('somebody without a role is shown who they are, and gets 403 for everything else', async () => {
    const nils = await product.as(people.nobody);
    expect((await nils.get<Whoami>('/v1/whoami')).body).toMatchObject({ subject: 'nils', projects: [] });
    expectProblem(await nils.get('/v1/clusters'), 403);
    expectProblem(await nils.get('/v1/clusters', inProject('shop')), 403);
  });

  it('a project of a rule may be created later, and a disabled one is closed to its members', async () => {
    const ella = await product.as(people.early);
    expectProblem(await ella.get('/v1/clusters'), 403);
    expectStatus(await product.admin.post('/v1/projects', { name: 'later' }), 201);
    const status = async (path = '/v1/clusters'): Promise<number> => (await ella.get(path)).status;
    await eventually(async () => (await status()) === 200, 'the new project is known');
    expectStatus(await ella.get('/v1/api-keys'), 200);
    expectStatus(await product.admin.post('/v1/projects/later/actions/disable'), 200);
    await eventually(async () => {
      const { body } = await ella.post<{ code?: string }>('/v1/cluster-templates', template());
      return body.code === 'project-disabled';
    }, 'the project is closed');
  });

  it('an event stream ends when the token does that opened it', async () => {
    const token = await product.issuer.token(people.developer, SHORT);
    const answer = await fetch(`${product.stack.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    // resolves when the stream has ended
    expect(await answer.text()).toContain('the token has expired');
  });

  it('a new key of the issuer is taken, a removed one is refused, and a known token survives a key that is added', async () => {
    const next = await signingKey('second');
    const before = await product.signed({});
    expectStatus(await product.admin.as(before).get('/v1/whoami'), 200);
    await product.issuer.useKeys([next, key]);
    const after = await product.as(people.developer);
    const status = async (client: StaveClient): Promise<number> => (await client.get('/v1/whoami')).status;
    await eventually(async () => (await status(after)) === 200, 'the new key is taken');
    expect(await status(product.admin.as(before))).toBe(200);
    await product.issuer.useKeys([next]);
    await eventually(async () => (await status(product.admin.as(before))) === 401, {
      what: 'the removed key is refused',
      timeoutMs: 120_000,
    });
    expect(await status(await product.as(people.developer))).toBe(200);
    key = next;
  });

  it('while the issuer is away tokens are refused within a minute, API keys are not, and the product stays ready', async () => {
    const dora = await product.as(people.developer);
    expectStatus(await dora.get('/v1/clusters'), 200);
    await product.issuer.stop();
    const away = async (): Promise<boolean> => {
      const { status, headers } = await dora.get('/v1/clusters');
      return status === 503 && Number(headers.get('retry-after')) > 0;
    };
    await eventually(away, { what: 'tokens are refused', timeoutMs: 120_000 });
    expectStatus(await product.admin.get('/v1/clusters'), 200);
    expectStatus(await product.admin.get('/readyz'), 200);
    await product.issuer.restart([key]);
    await eventually(async () => (await dora.get('/v1/clusters')).status === 200, 'tokens are accepted');
  });
});
