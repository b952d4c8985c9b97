import { commandSubject, keyUsageSubject, type Actor, type VerifiedKey } from '@stave/contracts';
import { MemoryDocumentStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { ClustersHarness, type Replica } from '../clusters/clusters.fixture.js';

interface KeyAnswer {
  readonly resource: { readonly id: string; readonly key?: string; readonly role: string; readonly prefix: string };
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
    expect(first.resource.key).toMatch(/^stv_/);
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

  it('a rotated key has another secret, and the former one works during the overlap only', async () => {
    const { resource } = await key(operator, await project('shop'));
    const rotate = (body: object): Promise<KeyAnswer> =>
      ask(operator, 'api-key', 'action', { id: resource.id, action: 'rotate', ...body });
    const verify = (secret = ''): Promise<VerifiedKey> => ask(operator, 'api-key', 'verify', { key: secret });
    const once = await rotate({ overlap: '1h' });
    expect(once.resource).toMatchObject({ id: resource.id, revision: 2, prefix: once.resource.key?.slice(0, 16) });
    expect(await verify(resource.key)).toMatchObject({ keyId: resource.id, rotation: 0, expiresAt: null });
    expect((await verify(resource.key)).validUntil).not.toBeNull();
    expect(await verify(once.resource.key)).toMatchObject({ keyId: resource.id, rotation: 1, validUntil: null });
    const twice = await rotate({});
    for (const former of [resource.key, once.resource.key])
      await expect(verify(former)).rejects.toMatchObject({ error: { code: 'unauthenticated' } });
    expect(await verify(twice.resource.key)).toMatchObject({ rotation: 2 });
    await ask(operator, 'api-key', 'delete', { id: resource.id });
    await expect(verify(twice.resource.key)).rejects.toMatchObject({ error: { code: 'unauthenticated' } });
    await expect(rotate({})).rejects.toMatchObject({ error: { code: 'not-found' } });
  });

  it('only operators make keys for operators, which belong to no project', async () => {
    const id = await project('shop');
    const make = (actor: Actor, body: object): Promise<KeyAnswer> => ask(actor, 'api-key', 'create', body);
    const { resource } = await make(operator, { role: 'operator', name: 'second' });
    expect(resource).toMatchObject({ role: 'operator', project: null, name: 'second', lastUsedAt: null });
    await expect(make(adminOf(id), { role: 'operator' })).rejects.toMatchObject({ error: { code: 'forbidden' } });
    await expect(make(operator, { role: 'operator', project: id })).rejects.toMatchObject({
      error: { errors: [{ pointer: '/project', code: 'operator-of-project' }] },
    });
    await expect(make(operator, { role: 'reader' })).rejects.toMatchObject({
      error: { kind: 'invalid', errors: [{ pointer: '/project', code: 'required' }] },
    });
    await expect(
      make(operator, { role: 'reader', project: id, expiresAt: '2020-01-01T00:00:00Z' }),
    ).rejects.toMatchObject({
      error: { errors: [{ pointer: '/expiresAt', code: 'in-the-past' }] },
    });
  });

  it('a key shows when it was last used, after a restart as well, and its revision does not change by it', async () => {
    const documentStore = new MemoryDocumentStore();
    const first = await harness.replica({ documentStore });
    const { resource } = await key(operator, await project('shop'));
    const body = { id: resource.id };
    const shown = (of: Replica): Promise<{ readonly lastUsedAt: string | null }> =>
      harness.request(of, commandSubject('cluster-service', 'api-key', 'get'), body, { actor: operator });
    await eventually(async () => (await shown(first)).lastUsedAt === null, 'the key is shown');
    const report = (uses: object): void => first.messaging.publish(keyUsageSubject, { uses });
    const at = '2030-01-01T00:00:00.000Z';
    report({ [resource.id]: at, unknown: at });
    report({ [resource.id]: '2029-01-01T00:00:00.000Z' });
    report([7]);
    await eventually(async () => (await shown(first)).lastUsedAt === at, 'the last use is shown');
    expect(await shown(first)).toMatchObject({ revision: 1 });
    await first.stop();
    const stored = await (await documentStore.collection('apiKeyUses')).find({});
    expect(stored.map(({ _id }) => _id)).toEqual([resource.id]);
    const second = await harness.replica({ documentStore });
    await eventually(async () => (await shown(second)).lastUsedAt === at, 'the stored use is shown');
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
