import { commandSubject, type ReportReply, type ReportRequest } from '@stave/contracts';
import { stableId } from '@stave/domain';
import { ClustersHarness, type Replica } from './clusters.fixture.js';

let harness: ClustersHarness;
let replica: Replica;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  replica = await harness.replica();
});
afterEach(() => harness.close());

const group = { name: 'web', role: 'worker', flavor: { cpus: 1, memoryMb: 512 } };
const create = async (nodeGroups: readonly object[]): Promise<string> => {
  const body = { driver: 'fake', nodeGroups };
  return (await harness.ask<{ readonly resource: { readonly id: string } }>(replica, 'create', body)).resource.id;
};

/** Appends the claim of a conductor, and sends its report that the shared infrastructure is built. */
async function reportBuilt(id: string): Promise<ReportReply> {
  const [conductor, session, attempt, generation] = ['one', 's', 1, 1];
  const [taskId, kind] = [stableId(id, 'cluster.create', 1), 'cluster.create' as const];
  const data = { taskId, kind, generation, attempt, conductor, session, epoch: 0 };
  await harness.append(`cluster-${id}`, { type: 'TaskClaimed', data });
  const request: ReportRequest = {
    ...{ taskId, attempt, conductor, session, resource: { type: 'cluster', id, generation } },
    outcome: { type: 'done', kind, result: { infrastructureId: 'i', endpoints: [] } },
  };
  return harness.request(replica, commandSubject('cluster-service', 'task', 'report'), request);
}
const types = async (id: string): Promise<readonly string[]> =>
  (await harness.store.readStream(`cluster-${id}`)).map(({ type }) => type);

it('a cluster without groups is created by two appends, its claim, and one append that ends it', async () => {
  const appends = jest.spyOn(harness.store, 'append');
  const inOrder = jest.spyOn(harness.store, 'appendInOrder');
  const id = await create([]);
  expect(await reportBuilt(id)).toEqual({ status: 'accepted' });
  const end = ['TaskCompleted', 'ClusterBecameActive', 'OperationEnded'];
  expect(await types(id)).toEqual(['ClusterCreated', 'TaskClaimed', ...end]);
  expect(inOrder.mock.calls.map(([all]) => all.map(({ events }) => events.map(({ type }) => type)))).toEqual([
    [['NameReserved'], ['ClusterCreated']],
  ]);
  expect(appends.mock.calls.map(([, events]) => events.map(({ type }) => type))).toEqual([['TaskClaimed'], end]);
});

it('a repeated report ends a cluster once, and one with groups waits for them', async () => {
  const id = await create([]);
  await reportBuilt(id);
  const [conductor, session] = ['one', 's'];
  const again: ReportRequest = {
    ...{ taskId: stableId(id, 'cluster.create', 1), attempt: 1, conductor, session },
    resource: { type: 'cluster', id, generation: 1 },
    outcome: { type: 'done', kind: 'cluster.create', result: { infrastructureId: 'i', endpoints: [] } },
  };
  await harness.request(replica, commandSubject('cluster-service', 'task', 'report'), again);
  expect((await types(id)).filter(type => type === 'OperationEnded')).toHaveLength(1);
  const waiting = await create([group]);
  await reportBuilt(waiting);
  expect(await types(waiting)).toEqual(['ClusterCreated', 'TaskClaimed', 'TaskCompleted']);
});
