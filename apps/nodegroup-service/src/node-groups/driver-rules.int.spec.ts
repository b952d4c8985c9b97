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
    const hostile = { ...group, image: 'evil:1', dataVolumeGb: 5, flavor: { ...flavor, diskGb: 9 } };
    const refused = ['/flavor/diskGb unsupported', '/image image-not-allowed', '/dataVolumeGb unsupported'];
    expect(await problems('create', hostile)).toEqual(refused);
    expect(await problems('create', hostile, { dryRun: true })).toEqual(refused);
    expect(await harness.all('NodeGroupCreated')).toEqual([]);
    for (const image of [undefined, 'own:1', 'base:1'])
      expect(await problems('create', { ...group, image })).toEqual([]);
  });

  it('refuses them in a change as well', async () => {
    const { groupIds } = await harness.cluster({ web: 0 });
    const patch = (change: object) => problems('patch', { id: groupIds[0], patch: change });
    expect(await patch({ image: 'evil:1', dataVolumeGb: 5 })).toEqual([
      '/image image-not-allowed',
      '/dataVolumeGb unsupported',
    ]);
    expect(await patch({ flavor: { ...flavor, diskGb: 9 } })).toEqual(['/flavor/diskGb unsupported']);
    expect(await patch({ image: 'own:1' })).toEqual([]);
  });
});

it('refuses node groups of a project that the driver does not serve', async () => {
  const harness = await NodeGroupHarness.open({ name: 'fake', projects: ['default'] });
  await harness.replica();
  const { id: clusterId } = await harness.cluster({});
  const create = harness.first.ask('node-group', 'create', { clusterId, role: 'worker', flavor });
  await expect(create).rejects.toMatchObject({ error: { code: 'driver-not-allowed', kind: 'forbidden' } });
  await harness.close();
});
