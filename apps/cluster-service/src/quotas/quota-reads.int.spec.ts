import type { RequestMeta } from '@stave/contracts';
import { oneAfterOther } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { ClustersHarness, PROJECT, type Replica } from '../clusters/clusters.fixture.js';
import { refusal } from '../clusters/creation.fixture.js';

const QUOTA = `quota-${PROJECT}`;

let harness: ClustersHarness;
let replicas: readonly [Replica, Replica];
beforeEach(async () => {
  harness = await ClustersHarness.open();
  await harness.append(`project-${PROJECT}`, { type: 'ProjectCreated', data: { id: PROJECT, name: PROJECT } });
  replicas = [await harness.replica(), await harness.replica()];
});
afterEach(() => harness.close());

const cluster = (replica: Replica, meta: Partial<RequestMeta> = {}, more: object = {}): Promise<object> =>
  harness.ask(replica, 'create', { driver: 'fake', nodeGroups: [], ...more }, meta);

it('creations at once in a project without limits share reads of the stream of its quota; one alone reads it once, and nothing else', async () => {
  const read = jest.spyOn(harness.store, 'readStream');
  await cluster(replicas[0]);
  expect(read.mock.calls.map(([stream]) => stream)).toEqual([QUOTA]);
  read.mockClear();
  await Promise.all(Array.from({ length: 20 }, () => cluster(replicas[0])));
  expect(read.mock.calls.filter(([stream]) => stream === QUOTA).length).toBeLessThanOrEqual(3);
  expect(await harness.store.readStream(QUOTA)).toEqual([]);
});

it('a limit that this replica has not seen refuses a creation while its name is reserved, and the name is free again', async () => {
  const { store } = harness;
  jest.spyOn(store, 'appendInOrder').mockImplementation(appends => oneAfterOther(store, appends));
  await harness.append(QUOTA, { type: 'QuotaLimitsChanged', data: { limits: { clusters: 0 } } });
  expect(await refusal(cluster(replicas[0], {}, { name: 'shop' }))).toMatchObject({ code: 'quota-exceeded' });
  expect(await harness.all('ClusterCreated')).toHaveLength(0);
  await harness.append(QUOTA, { type: 'QuotaLimitsChanged', data: { limits: {} } });
  await cluster(replicas[1], { idempotencyKey: 'again' }, { name: 'shop' });
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
});

it('a creation waits for the read of the quota, however late it is answered, and is held to the limit that it shows', async () => {
  const { store } = harness;
  const read = store.readStream.bind(store);
  let answer: () => void = () => undefined;
  const asked = new Promise<void>(resolve => (answer = resolve));
  const late = jest.spyOn(store, 'readStream').mockImplementationOnce(async (...of) => (await asked, read(...of)));
  const refused = refusal(cluster(replicas[0], {}, { name: 'shop' }));
  await eventually(() => Promise.resolve(late.mock.calls.length === 1), 'the read of the quota has begun');
  await harness.append(QUOTA, { type: 'QuotaLimitsChanged', data: { limits: { clusters: 1 } } });
  await cluster(replicas[1]);
  answer();
  expect(await refused).toMatchObject({ code: 'quota-exceeded' });
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
});
