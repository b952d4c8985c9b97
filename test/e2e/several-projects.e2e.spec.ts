import { randomUUID } from 'node:crypto';
import { eventually, expectProblem, expectStatus, operationIdOf, type StaveClient } from '@stave/testing';
import { AUDIENCE, people, SignedInProduct } from '../identity/signed-in-product.js';
import type { ResourceView } from './views.js';

jest.setTimeout(300_000);

interface Owned extends ResourceView {
  readonly projectId: string;
}

const inProject = (name: string) => ({ headers: { 'stave-project': name } });
const unique = (word: string): string => `${word}-${randomUUID().slice(0, 8)}`;

/** Ben is a member of `shop` and a reader of `books`. */
describe('somebody with several projects, who chooses none', () => {
  let product: SignedInProduct;
  let admin: StaveClient;
  let ben: StaveClient;
  const made: Record<string, Owned> = {};
  beforeAll(async () => {
    product = await SignedInProduct.start();
    ({ admin } = product);
    for (const project of ['shop', 'books', 'default']) {
      const body = { name: unique(project), driver: 'fake', nodeGroups: [] };
      const { id } = await admin.succeed(admin.post<Owned>('/v1/clusters', body, inProject(project)));
      made[project] = await admin.read<Owned>(`/v1/clusters/${id}`);
    }
  });
  beforeEach(async () => void (ben = await product.as(people.both)));
  afterAll(() => product.close());

  const of = (project: string): Owned => {
    const cluster = made[project];
    if (!cluster) throw new Error(`no cluster of ${project}`);
    return cluster;
  };
  const namesOf = async (path: string): Promise<readonly string[]> =>
    (await ben.read<{ items: readonly ResourceView[] }>(path)).items.map(({ name }) => name).sort();

  it('lists, filters and reads span the projects, and show nothing of others', async () => {
    const both = ['shop', 'books'].map(project => of(project).name).sort();
    expect(await namesOf('/v1/clusters')).toEqual(both);
    expect(await namesOf(`/v1/clusters?at=${encodeURIComponent(new Date().toISOString())}`)).toEqual(both);
    expect(await namesOf('/v1/clusters?projectId=books')).toEqual([of('books').name]);
    expect(await namesOf('/v1/clusters?projectId=default')).toEqual([]);
    expect(await namesOf('/v1/projects')).toEqual(['books', 'shop']);
    for (const project of ['shop', 'books'])
      for (const ref of [of(project).id, of(project).name]) {
        expect((await ben.read<Owned>(`/v1/clusters/${ref}`)).projectId).toBe(product.projectIds[project]);
        expectStatus(await ben.get(`/v1/clusters/${ref}/events`), 200);
        expectStatus(await ben.get(`/v1/clusters/${ref}?at=1`), 200);
      }
    for (const ref of [of('default').id, of('default').name])
      for (const path of ['', '/events', '?at=1', '/nodes'])
        expectProblem(await ben.get(`/v1/clusters/${ref}${path}`), 404);
    const { items } = await ben.read<{ items: readonly { target: { id: string } }[] }>('/v1/operations');
    expect(new Set(items.map(({ target }) => target.id))).toEqual(new Set([of('shop').id, of('books').id]));
    const events = await ben.read<{ items: readonly { project?: string }[] }>('/v1/events?since=start&limit=500');
    const projects = ['shop', 'books'].map(name => product.projectIds[name]);
    expect(new Set(events.items.map(({ project }) => project))).toEqual(new Set(projects));
  });

  it('a creation needs the header, and a change is made in the project of its target with the role there', async () => {
    const body = { name: unique('t') };
    expect(expectProblem(await ben.post('/v1/cluster-templates', body), 400).code).toBe('project-required');
    const { id } = expectStatus(await ben.post<Owned>('/v1/cluster-templates', body, inProject('shop')), 201).body;
    expectStatus(await ben.patch(`/v1/cluster-templates/${id}`, { labels: { a: 'b' } }), 200);
    expectStatus(await ben.patch(`/v1/cluster-templates/${body.name}`, { labels: { a: 'c' } }), 200);
    const [last] = await admin.list<{ actor: string; project: string }>(`/v1/cluster-templates/${id}/events`);
    expect(last).toMatchObject({ actor: 'ben', project: product.projectIds['shop'] });
    expectProblem(await ben.patch(`/v1/clusters/${of('books').id}`, { labels: { a: 'b' } }), 403);
    expectProblem(await ben.patch(`/v1/clusters/${of('books').name}`, { labels: { a: 'b' } }), 403);
    expectProblem(await ben.patch(`/v1/clusters/${of('default').id}`, { labels: { a: 'b' } }), 404);
    expectProblem(await ben.patch(`/v1/clusters/${of('default').name}`, { labels: { a: 'b' } }), 404);
    const repeated = { headers: { 'idempotency-key': randomUUID() } };
    for (let i = 0; i < 2; i++) expectStatus(await ben.send('DELETE', `/v1/cluster-templates/${id}`, repeated), 204);
  });

  it('a plan is executed as planned, and an operation is cancelled only where the role permits it', async () => {
    const path = `/v1/clusters/${of('shop').id}`;
    const plan = await ben.patch<{ planToken: string }>(`${path}?dryRun=true`, { labels: { planned: 'yes' } });
    const { planToken } = expectStatus(plan, 200).body;
    const changed = await ben.patch(`${path}?planToken=${planToken}`, { labels: { planned: 'yes' } });
    expect([200, 202]).toContain(changed.status);
    const slow = { name: unique('slow'), driver: 'fake', nodeGroups: [], options: { latencyMs: 60_000 } };
    const answer = await admin.post('/v1/clusters', slow, inProject('books'));
    const operation = operationIdOf(answer) ?? '';
    expectStatus(await ben.get(`/v1/operations/${operation}`), 200);
    expectProblem(await ben.post(`/v1/operations/${operation}/cancel`), 403);
  });

  it('a name that several of the projects have is ambiguous, and the header decides', async () => {
    const name = unique('twin');
    for (const project of ['shop', 'books'])
      expectStatus(await admin.post('/v1/cluster-templates', { name }, inProject(project)), 201);
    const problem = expectProblem(await ben.get(`/v1/cluster-templates/${name}`), 409);
    expect(problem).toMatchObject({ code: 'ambiguous-name', candidates: [expect.any(String), expect.any(String)] });
    const one = await ben.get<Owned>(`/v1/cluster-templates/${name}`, inProject('books'));
    expect(expectStatus(one, 200).body.projectId).toBe(product.projectIds['books']);
  });

  it('an event stream shows new events of all of the projects', async () => {
    const token = await product.issuer.token(people.both, AUDIENCE);
    const stream = await fetch(`${product.stack.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    const reading = (async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) seen += part.value;
    })();
    const names = new Map(['shop', 'books', 'default'].map(project => [project, unique(project)]));
    for (const [project, name] of [...names].reverse())
      expectStatus(await admin.post('/v1/cluster-templates', { name }, inProject(project)), 201);
    await eventually(() => ['shop', 'books'].every(each => seen.includes(names.get(each) ?? '-')), 'both are shown');
    expect(seen).not.toContain(names.get('default'));
    await reader?.cancel();
    await reading;
  });

  it('a disabled project is left out of reads of its members, and closed to changes', async () => {
    expectStatus(await admin.post('/v1/projects/shop/actions/disable'), 200);
    const gone = async (): Promise<boolean> => !(await namesOf('/v1/clusters')).includes(of('shop').name);
    await eventually(gone, 'the disabled project is left out');
    expect(await namesOf('/v1/clusters')).toContain(of('books').name);
    const change = await ben.patch(`/v1/clusters/${of('shop').id}`, { labels: { a: 'z' } });
    expect(expectProblem(change, 403).code).toBe('project-disabled');
    expectStatus(await admin.post('/v1/projects/shop/actions/enable'), 200);
  });
});
