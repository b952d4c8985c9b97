import { commandSubject, type Actor } from '@stave/contracts';
import { ClustersHarness, type Replica } from '../clusters/clusters.fixture.js';

interface KeyAnswer {
  readonly resource: { readonly id: string; readonly key?: string; readonly role: string };
}

const operator: Actor = { keyId: 'operator', role: 'admin', project: null };

let harness: ClustersHarness;
let service: Replica;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  service = await harness.replica();
});
afterEach(() => harness.close());

const ask = <D>(actor: Actor, resource: string, verb: string, body: object, idempotencyKey?: string): Promise<D> =>
  harness.request(service, commandSubject('cluster-service', resource, verb), body, {
    actor,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
const project = async (name: string): Promise<string> =>
  (await ask<{ resource: { id: string } }>(operator, 'project', 'create', { name })).resource.id;
const key = (actor: Actor, of: string, role = 'member', idempotencyKey?: string): Promise<KeyAnswer> =>
  ask(actor, 'api-key', 'create', { project: of, role }, idempotencyKey);
const adminOf = (id: string): Actor => ({ keyId: `admin-${id}`, role: 'admin', project: id });

describe("a project's administrator", () => {
  it('an administrator of a project creates keys for its own project only, and does not find other projects', async () => {
    const [mine, other] = [await project('mine'), await project('other')];
    await expect(key(adminOf(mine), 'other')).rejects.toMatchObject({ error: { code: 'unknown-project' } });
    await expect(key(adminOf(mine), other, 'admin')).rejects.toMatchObject({ error: { code: 'unknown-project' } });
    expect((await key(adminOf(mine), 'mine')).resource.role).toBe('member');
  });

  it('an administrator of a project revokes keys of its own project only', async () => {
    const [mine, other] = [await project('mine'), await project('other')];
    const { resource: foreign } = await key(operator, other);
    await expect(ask(adminOf(mine), 'api-key', 'delete', { id: foreign.id })).rejects.toMatchObject({
      error: { code: 'not-found' },
    });
    const { resource: own } = await key(operator, mine);
    await ask(adminOf(mine), 'api-key', 'delete', { id: own.id });
    await expect(ask(operator, 'api-key', 'verify', { key: own.key })).rejects.toMatchObject({
      error: { code: 'unauthenticated' },
    });
  });
});

describe('an API key', () => {
  it('an API key is created once for one idempotency key, and is not shown again to a repeat', async () => {
    const id = await project('shop');
    const first = await key(operator, id, 'member', 'once');
    const again = await key(operator, id, 'member', 'once');
    expect(again.resource.id).toBe(first.resource.id);
    expect(first.resource.key).toMatch(/^stave_/);
    expect(again.resource).not.toHaveProperty('key');
    await expect(key(operator, id, 'admin', 'once')).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('an API key is revoked once, and a repeat of the revocation gets the same answer', async () => {
    const { resource } = await key(operator, await project('shop'));
    const revoke = (idempotencyKey?: string): Promise<unknown> =>
      ask(operator, 'api-key', 'delete', { id: resource.id }, idempotencyKey);
    expect(await revoke('once')).toEqual(await revoke('once'));
    await expect(revoke()).rejects.toMatchObject({ error: { code: 'not-found' } });
  });

  it("the API key of the installation's administrator cannot revoke itself", async () => {
    await harness.append('apiKey-operator', {
      type: 'ApiKeyCreated',
      data: { id: 'operator', name: 'administrator', project: null, role: 'admin', hash: 'h' },
    });
    await expect(ask(operator, 'api-key', 'delete', { id: 'operator' })).rejects.toMatchObject({
      error: { code: 'own-key' },
    });
    await expect(ask(adminOf('default'), 'api-key', 'delete', { id: 'operator' })).rejects.toMatchObject({
      error: { code: 'not-found' },
    });
  });
});

it('the name of the default project, without regard to case, is refused for another project', async () => {
  await expect(project('Default')).rejects.toMatchObject({ error: { code: 'name-taken' } });
});

it('ring lookup finds only resources of the own project', async () => {
  const body = { driver: 'fake', nodeGroups: [] };
  const { resource } = await harness.ask<{ resource: { id: string } }>(service, 'create', body);
  const lookup = (actor: Actor): Promise<unknown> => ask(actor, 'ring', 'lookup', { resource: resource.id });
  await expect(lookup(operator)).resolves.toMatchObject({ conductorId: 'one' });
  await expect(lookup(adminOf('other'))).rejects.toMatchObject({ error: { code: 'not-found' } });
});
