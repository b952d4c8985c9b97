import type { ServiceError } from '@stave/contracts';
import type { NodeGroupDeclaration } from '@stave/domain';
import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT, type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
let replica: Replica;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
  replica = await harness.replica();
});
afterEach(() => harness.close());

const flavor = { cpus: 2, memoryMb: 1024 };

interface Accepted {
  readonly resource: { readonly id: string; readonly name: string; readonly count: number };
  readonly operationId: string;
}

async function template(name: string, attributes: object, more: object = {}): Promise<string> {
  const own = { id: uuidv7(), name, projectId: PROJECT, clusterTemplateId: null };
  const data = { ...own, attributes, immutableAttributes: [], locked: {}, ...more };
  await harness.append(`nodeGroupTemplate-${own.id}`, { type: 'NodeGroupTemplateCreated', data });
  return own.id;
}
const create = (clusterId: string, body: object, key?: string, by = replica): Promise<Accepted> =>
  by.ask('node-group', 'create', { clusterId, ...body }, key === undefined ? {} : { idempotencyKey: key });
const created = async (id: string): Promise<NodeGroupDeclaration> =>
  (await harness.store.readStream(`nodeGroup-${id}`))[0]?.data as NodeGroupDeclaration;
const refusal = async (attempt: Promise<unknown>): Promise<ServiceError | undefined> =>
  attempt.then(
    () => undefined,
    (e: { error: ServiceError }) => e.error,
  );

it('a group from a template has the overrides, the name of the template, and the origins of its values', async () => {
  const { id } = await harness.cluster({});
  const source = {
    type: 'nodeGroupTemplate',
    id: await template('gpu', { role: 'worker', count: 3, flavor }),
    name: 'gpu',
  };
  const { resource } = await create(id, { from: { nodeGroupTemplate: 'gpu' }, count: 1, labels: { a: 'b' } });
  expect(resource.name).toMatch(/^gpu-[0-9a-z]{6}$/);
  expect(await created(resource.id)).toMatchObject({
    spec: { role: 'worker', count: 1, flavor, labels: { a: 'b' } },
    source,
    origins: {
      role: { from: 'source', source },
      count: { from: 'request' },
      zones: { from: 'default' },
      updateStrategy: { from: 'default' },
    },
  });
});

it('a group is created from a group of another cluster that is not created yet', async () => {
  const { id } = await harness.cluster({});
  await replica.stop();
  const other = await harness.cluster({ edge: 4 });
  const append = harness.store.append.bind(harness.store);
  const spy = jest.spyOn(harness.store, 'append').mockImplementation((stream, events, expected) => {
    const isLate = stream === `clusterGroups-${other.id}`;
    return isLate ? Promise.reject(new Error('not registered yet')) : append(stream, events, expected);
  });
  replica = await harness.replica();
  for (const ref of ['edge', other.groupIds[0]]) {
    const { resource } = await create(id, { from: { nodeGroup: ref }, count: 1 });
    expect(await created(resource.id)).toMatchObject({
      spec: { ...groupSpec(1), count: 1 },
      source: { type: 'nodeGroup', id: other.groupIds[0], name: 'edge' },
    });
  }
  expect((await harness.all('NodeGroupCreated')).map(e => e.stream)).not.toContain(`nodeGroup-${other.groupIds[0]}`);
  spy.mockRestore();
});

it('a source that cannot be used is refused with its pointer', async () => {
  const { id } = await harness.cluster({ web: 1 });
  const second = await harness.cluster({ web: 1, edge: 1 });
  await harness.cluster({ edge: 1 });
  const bound = await template('bound', { role: 'worker', flavor }, { immutableAttributes: ['flavor', 'image'] });
  const refusalOf = async (body: object): Promise<unknown> => {
    const error = await refusal(create(id, body));
    return [error?.kind, error?.code, (error?.errors ?? []).map(e => `${e.pointer} ${e.code}`)];
  };
  expect(await refusalOf({ from: { nodeGroup: 'none' } })).toEqual([
    'rule',
    'not-found',
    ['/from/nodeGroup not-found'],
  ]);
  expect(await refusalOf({ from: { nodeGroupTemplate: uuidv7() } })).toEqual([
    'rule',
    'not-found',
    ['/from/nodeGroupTemplate not-found'],
  ]);
  const counts = { minCount: 2, maxCount: 1 };
  expect(await refusalOf({ from: { nodeGroup: 'none' }, ...counts })).toEqual([
    'rule',
    'validation-failed',
    ['/from/nodeGroup not-found', '/minCount min-above-max'],
  ]);
  expect(await refusalOf({ from: { nodeGroup: 'edge' } })).toEqual([
    'conflict',
    'ambiguous-name',
    ['/from/nodeGroup ambiguous-name'],
  ]);
  expect(
    await refusalOf({ from: { nodeGroupTemplate: bound }, flavor: { cpus: 1, memoryMb: 64 }, image: 'x' }),
  ).toEqual(['rule', 'validation-failed', ['/flavor immutable-attribute', '/image immutable-attribute']]);
  expect(await refusalOf({ from: { nodeGroupTemplate: bound }, flavor })).toEqual([undefined, undefined, []]);
  await harness.deleteCluster(second.id);
  const gone = await refusalOf({ from: { nodeGroup: second.groupIds[0] } });
  expect(gone).toEqual(['conflict', 'being-deleted', ['/from/nodeGroup being-deleted']]);
});

it('the name of a source is looked up in the cluster of the new group first', async () => {
  await harness.cluster({ web: 1 });
  const { id, groupIds } = await harness.cluster({ web: 1 });
  const { resource } = await create(id, { from: { nodeGroup: 'WEB' } });
  expect(await created(resource.id)).toMatchObject({ source: { id: groupIds[0] } });
});

it('a repeat gets the answer of the first request, although the source is deleted and the first writer failed', async () => {
  const { id } = await harness.cluster({});
  const source = await template('gpu', { role: 'worker', count: 3, flavor });
  const body = { from: { nodeGroupTemplate: source } };
  const append = harness.store.append.bind(harness.store);
  const spy = jest.spyOn(harness.store, 'append').mockImplementation((stream, events, expected) => {
    const fails = events.some(e => e.type === 'NodeGroupRegistered' || e.type === 'NodeGroupCreated');
    return fails ? Promise.reject(new Error('the writer failed')) : append(stream, events, expected);
  });
  await expect(create(id, body, 'key')).rejects.toThrow();
  spy.mockRestore();
  await harness.append(`nodeGroupTemplate-${source}`, { type: 'NodeGroupTemplateDeleted', data: {} });
  const first = await create(id, body, 'key');
  expect(first.resource).toMatchObject({ count: 3, name: expect.stringMatching(/^gpu-/) });
  await eventually(async () => (await harness.all('NodeDeclared')).length === 3);
  const answers = await Promise.all([create(id, body, 'key'), create(id, body, 'key', await harness.replica())]);
  expect(answers).toEqual([first, first]);
  expect(await harness.all('NodeGroupCreated')).toHaveLength(1);
  expect(await refusal(create(id, body))).toMatchObject({ code: 'not-found' });
});
