import type { CommandResult, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { ClustersHarness, PROJECT, type Replica } from './clusters.fixture.js';

let harness: ClustersHarness;
let replica: Replica;
let id: string;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
  id = (await harness.ask<CommandResult>(replica, 'create', { name: 'shop', driver: 'fake' })).resource.id;
  await harness.built(id);
  await statusIs('ACTIVE');
});
afterEach(() => harness.close());

const statusIs = (status: string): Promise<ResourceDocument> =>
  eventually(async () => {
    const document = await harness.ask<ResourceDocument>(replica, 'get', { id });
    return document['status'] === status ? document : undefined;
  }, `the cluster is ${status}`);
const accept = (dryRun = false): Promise<unknown> =>
  harness.ask(replica, 'action', { id, action: 'accept-loss' }, dryRun ? { dryRun } : {});
const suspicion = (acceptances = 0) => ({
  type: 'ContainerLossSuspected',
  data: { clusterId: id, reason: 'mass-loss-suspected: r', acceptances },
});

it('a cluster is degraded while the loss of containers is suspected, and the acceptance names them', async () => {
  await expect(accept()).rejects.toMatchObject({ error: { code: 'no-loss-suspected' } });
  for (const name of ['k1', 'k2', 'k3']) {
    const data = { id: name, name, clusterId: id, projectId: PROJECT };
    await harness.append(`container-${name}`, { type: 'ContainerCreated', data });
  }
  await harness.append('container-k1', suspicion());
  await harness.append('container-k2', suspicion());
  const { statusReason, healthReasons } = await statusIs('DEGRADED');
  expect(statusReason).toMatch(/^mass-loss-suspected: containers are missing/);
  expect(healthReasons).toEqual([statusReason]);
  await harness.append('container-k1', { type: 'ContainerObserved', data: { state: 'running' } });
  const plan = await eventually(async () => {
    const text = JSON.stringify(await accept(true));
    return text.includes('"k1"') ? undefined : text;
  }, 'a plan without the container that was seen');
  expect(plan).toContain('"k2"');
  expect(plan).not.toContain('"k3"');
  await accept();
  const accepted = await harness.all('ClusterLossAccepted');
  expect(accepted).toHaveLength(1);
  await harness.append('container-k2', { type: 'ContainerObserved', data: { state: 'missing' } });
  expect((await statusIs('ACTIVE'))['statusReason']).toBeUndefined();
  await eventually(
    () =>
      accept().then(
        () => false,
        () => true,
      ),
    'nothing is suspected any more',
  );
});
