import type { ServiceError } from '@stave/contracts';
import { SchedulerHarness } from '../scheduler.fixture.js';

const containers = {
  volumes: { local: { type: 'tmpfs' } },
  networks: { bridge: {} },
  reservedNetworks: ['host'],
  allowed: [],
  setting: 'THE_SETTING',
};
const restricted = { name: 'fake', capabilities: ['containers'], restrictions: { containers } };
const bound = [{ name: 'root', mountPath: '/host', options: { type: 'none', o: 'bind', device: '/' } }];
const pointers = ['type', 'o', 'device'].map(name => `/volumes/0/options/${name}`);

const refusal = (attempt: Promise<unknown>): Promise<ServiceError | undefined> =>
  attempt.then(
    () => undefined,
    (e: { error: ServiceError }) => e.error,
  );

describe('containers on a driver with restrictions', () => {
  let harness: SchedulerHarness;
  afterEach(() => harness.close());
  const open = async (manifest: object): Promise<void> => void (harness = await SchedulerHarness.open({ ...manifest }));
  const places = async (attempt: Promise<unknown>): Promise<unknown> => {
    const refused = await refusal(attempt);
    expect(refused).toMatchObject({ kind: 'rule' });
    return refused?.errors?.map(error => error.pointer);
  };

  it('refuses a container whose volume is a directory of the node, and stores nothing', async () => {
    await open(restricted);
    await harness.createProfile();
    const before = (await harness.all('ContainerDeclared')).length;
    expect(await places(harness.createContainer({ volumes: bound }))).toEqual(pointers);
    expect(await places(harness.createContainer({ volumes: bound }, { dryRun: true }))).toEqual(pointers);
    expect(await places(harness.createContainer({ network: { name: 'host' } }))).toEqual(['/network/name']);
    expect(await harness.all('ContainerDeclared')).toHaveLength(before);
    expect(await refusal(harness.createContainer({ volumes: [{ name: 'data', mountPath: '/data' }] }))).toBeUndefined();
  });

  it('refuses a profile of the cluster that asks for it, at its creation and at its change', async () => {
    await open(restricted);
    expect(await places(harness.createProfile({ volumes: bound }))).toEqual(pointers);
    await harness.createProfile();
    const patched = harness.first.ask('container-profile', 'patch', { id: 'nginx', patch: { volumes: bound } });
    expect(await places(patched)).toEqual(pointers);
  });

  it('refuses a container on a driver that runs none', async () => {
    await open({ name: 'fake', capabilities: [] });
    expect(await refusal(harness.createProfile())).toMatchObject({ code: 'unsupported', kind: 'unsupported' });
  });
});
