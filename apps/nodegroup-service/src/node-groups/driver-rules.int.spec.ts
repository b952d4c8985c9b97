import type { ServiceError } from '@stave/contracts';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const flavor = { cpus: 1, memoryMb: 512 };
const manifest = {
  name: 'fake',
  attributes: ['image'],
  defaults: { image: 'base:1' },
  restrictions: { nodeImages: ['own:1'] },
};

describe('node groups on a driver with restrictions', () => {
  let harness: NodeGroupHarness;
  beforeEach(async () => {
    harness = await NodeGroupHarness.open(manifest);
    await harness.replica();
  });
  afterEach(() => harness.close());

  const problems = (verb: string, body: object, meta: object = {}): Promise<unknown> =>
    harness.first.ask('node-group', verb, body, meta).then(
      () => [],
      ({ error }: { readonly error: ServiceError }) => error.errors?.map(e => `${e.pointer} ${e.code}`) ?? error.code,
    );

  it('refuses images that the operator does not list and attributes that the driver does not honour', async () => {
    const { id: clusterId } = await harness.cluster({});
    const group = { clusterId, role: 'worker', count: 0, flavor };
    const volumes = [{ name: 'a', sizeGb: 1, mountPath: '/a' }];
    const hostile = { ...group, image: 'evil:1', dataVolumeGb: 5, volumes, flavor: { ...flavor, diskGb: 9 } };
    const refused = [
      '/flavor/diskGb unsupported',
      '/image image-not-allowed',
      '/dataVolumeGb unsupported',
      '/volumes unsupported',
    ];
    expect(await problems('create', hostile)).toEqual(refused);
    expect(await problems('create', hostile, { dryRun: true })).toEqual(refused);
    expect(await harness.all('NodeGroupCreated')).toEqual([]);
    for (const image of [undefined, 'own:1', 'base:1'])
      expect(await problems('create', { ...group, image, volumes: [] })).toEqual([]);
  });

  it('refuses them in a change as well', async () => {
    const { groupIds } = await harness.cluster({ web: 0 });
    const patch = (change: object) => problems('patch', { id: groupIds[0], patch: change });
    expect(await patch({ image: 'evil:1', dataVolumeGb: 5 })).toEqual([
      '/image image-not-allowed',
      '/dataVolumeGb unsupported',
    ]);
    expect(await patch({ flavor: { ...flavor, diskGb: 9 } })).toEqual(['/flavor/diskGb unsupported']);
    expect(await patch({ volumes: [{ name: 'a', sizeGb: 1, mountPath: '/a' }] })).toEqual(['/volumes unsupported']);
    expect(await patch({ image: 'own:1', volumes: [] })).toEqual([]);
  });
});

describe('node groups on machines', () => {
  let harness: NodeGroupHarness;
  afterEach(() => harness.close());

  it.each([
    ['are refused in a cluster with others where the driver cannot have both', { mixedMachines: false }, false],
    ['are accepted in a cluster with others where the driver can have both', {}, true],
  ])('%s', async (_title, more, isAccepted) => {
    harness = await NodeGroupHarness.open({ name: 'fake', capabilities: ['machines'], machineSchemes: ['f'], ...more });
    await harness.replica();
    const { id: clusterId } = await harness.cluster({ web: 0 });
    const group = { clusterId, role: 'worker', count: 0, flavor };
    const problems = (body: object, meta: object = {}): Promise<unknown> =>
      harness.first.ask('node-group', 'create', body, meta).then(
        () => [],
        ({ error }: { readonly error: ServiceError }) => error.errors?.map(e => `${e.pointer} ${e.code}`),
      );
    const refused = isAccepted ? [] : ['/machineSelector machines-mixed'];
    for (const meta of [{ dryRun: true }, {}])
      expect(await problems({ ...group, name: 'iron', machineSelector: { pool: 'iron' } }, meta)).toEqual(refused);
    expect(await problems({ ...group, name: 'others' })).toEqual([]);
  });
});

describe('a change of driver options', () => {
  const options = {
    type: 'object',
    additionalProperties: false,
    properties: { size: { type: 'integer', 'x-stave-change': 'roll' }, tier: { type: 'string' } },
  };
  let harness: NodeGroupHarness;
  afterEach(() => harness.close());

  async function changed(capabilities: readonly string[], change: object): Promise<unknown> {
    harness = await NodeGroupHarness.open({ name: 'fake', options, capabilities });
    await harness.replica();
    const { groupIds } = await harness.cluster({ web: 2 });
    await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length > 0, 'the group is ACTIVE');
    const patched = harness.first.ask<{ readonly operationId?: string }>('node-group', 'patch', {
      id: groupIds[0],
      patch: { options: change },
    });
    const answer = await patched.catch((refused: { readonly error: ServiceError }) => refused.error.errors);
    if (!answer || !('operationId' in answer)) return answer;
    await harness.workUntil(async () => (await harness.all('OperationEnded')).length > 0, 'the operation has ended');
    const kinds = (await harness.all('TaskCompleted')).map(e => (e.data as { readonly kind: string }).kind);
    return kinds.filter(kind => kind.startsWith('node.')).slice(2);
  }

  it('replaces the nodes where the schema marks the option as rolling', async () => {
    const kinds = await changed(['nodeUpdate'], { size: 2 });
    expect((kinds as readonly string[]).toSorted()).toEqual([
      'node.create',
      'node.create',
      'node.delete',
      'node.delete',
    ]);
  });

  it('is a task for each node where the option is applied in place, with the changed options', async () => {
    expect(await changed(['nodeUpdate'], { tier: 'gold' })).toEqual(['node.update', 'node.update']);
    for (const { data } of await harness.all('NodeUpdateRequested'))
      expect(data).toMatchObject({ options: { tier: 'gold' } });
  });

  it('is refused where the driver can neither replace nodes for it nor update them', async () => {
    expect(await changed([], { size: 2, tier: 'gold' })).toEqual([
      expect.objectContaining({ pointer: '/options/tier', code: 'unsupported' }),
    ]);
    expect(await harness.all('NodeGroupUpdated')).toEqual([]);
  });
});

it('refuses an option of clusters for a node group', async () => {
  const properties = { beat: { type: 'integer', 'x-stave-scope': 'cluster' }, size: { type: 'integer' } };
  const options = { type: 'object', additionalProperties: false, properties };
  const harness = await NodeGroupHarness.open({ name: 'fake', options, capabilities: ['nodeUpdate'] });
  await harness.replica();
  const { id: clusterId, groupIds } = await harness.cluster({ web: 0 });
  const refused = {
    error: { errors: [expect.objectContaining({ pointer: '/options/beat', code: 'unsupported' })] },
  };
  const group = { clusterId, role: 'worker', count: 0, flavor, options: { beat: 2 } };
  const change = { id: groupIds[0], patch: { options: { beat: 2 } } };
  for (const meta of [{ dryRun: true }, {}]) {
    await expect(harness.first.ask('node-group', 'create', group, meta)).rejects.toMatchObject(refused);
    await expect(harness.first.ask('node-group', 'patch', change, meta)).rejects.toMatchObject(refused);
  }
  expect(await harness.all('NodeGroupUpdated')).toEqual([]);
  await harness.first.ask('node-group', 'patch', { ...change, patch: { options: { size: 2 } } });
  await harness.close();
});

it('refuses node groups of a project that the driver does not serve', async () => {
  const harness = await NodeGroupHarness.open({ name: 'fake', projects: ['default'] });
  await harness.replica();
  const { id: clusterId } = await harness.cluster({});
  const create = harness.first.ask('node-group', 'create', { clusterId, role: 'worker', flavor });
  await expect(create).rejects.toMatchObject({ error: { code: 'driver-not-allowed', kind: 'forbidden' } });
  await harness.close();
});
