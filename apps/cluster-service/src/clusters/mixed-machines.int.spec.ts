import { ClustersHarness } from './clusters.fixture.js';
import { create, flavor, refusal } from './creation.fixture.js';

describe('clusters of machines and others', () => {
  const machines = { capabilities: ['machines'], machineSchemes: ['fake'] };
  const group = { role: 'worker', count: 1, flavor };
  const nodeGroups = [
    { ...group, name: 'a' },
    { ...group, name: 'b', machineSelector: {} },
    { ...group, name: 'c' },
  ];
  const body = { name: 'c', driver: 'fake', nodeGroups };

  let harness: ClustersHarness;
  afterEach(() => harness.close());
  const open = async (more: object) => {
    harness = await ClustersHarness.open({ name: 'fake', ...machines, ...more });
    return harness.replica();
  };
  const places = async (attempt: Promise<unknown>): Promise<unknown> =>
    (await refusal(attempt))?.errors?.map(e => `${e.pointer} ${e.code}`);

  it('are refused where the driver cannot have both, at the groups that differ from the first one', async () => {
    const replica = await open({ mixedMachines: false });
    const refused = ['/nodeGroups/1/machineSelector machines-mixed'];
    expect(await places(create(harness, replica, body))).toEqual(refused);
    expect(await places(harness.ask(replica, 'create', body, { dryRun: true }))).toEqual(refused);
    const reversed = [nodeGroups[1], nodeGroups[0], nodeGroups[2]];
    expect(await places(create(harness, replica, { ...body, nodeGroups: reversed }))).toEqual([
      '/nodeGroups/1/machineSelector machines-mixed',
      '/nodeGroups/2/machineSelector machines-mixed',
    ]);
    expect(await harness.all('ClusterCreated')).toEqual([]);
    expect(await places(create(harness, replica, { ...body, nodeGroups: [nodeGroups[1]] }))).toBeUndefined();
  });

  it('are accepted where the driver can have both', async () => {
    const replica = await open({});
    expect(await places(create(harness, replica, body))).toBeUndefined();
  });
});
