import { oneAfterOther } from '@stave/platform';
import { ClustersHarness, type Replica } from './clusters.fixture.js';
import { create, creationOf, flavor, refusal, Sources, uuid } from './creation.fixture.js';

let harness: ClustersHarness;
let sources: Sources;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  await prepare();
});
afterEach(() => harness.close());

async function prepare(): Promise<void> {
  sources = new Sources(harness);
  await sources.clusterTemplate(1, { driver: 'fake', labels: { a: '1' } }, { web: { role: 'worker', flavor } });
  await sources.groupTemplate(2, 'gpu', { role: 'worker', flavor });
}

const body = { from: { clusterTemplate: uuid(1) }, nodeGroups: [{ from: { nodeGroupTemplate: uuid(2) } }] };

/** Everything that it is made from is changed, then goes. */
async function sourcesGo(): Promise<void> {
  const other = { attributes: { driver: 'other', labels: { a: '2' } }, immutableAttributes: ['labels'] };
  await harness.append(`clusterTemplate-${uuid(1)}`, { type: 'ClusterTemplateUpdated', data: other });
  await sources.end(`clusterTemplate-${uuid(1)}`, 'ClusterTemplateDeleted');
  await sources.end(`nodeGroupTemplate-${uuid(2)}`, 'NodeGroupTemplateDeleted');
}

it('a created cluster does not change with its sources, and a repeat gets the same answer after their deletion', async () => {
  const replica = await harness.replica();
  const first = await create(harness, replica, body, 'key');
  const before = await creationOf(harness, first.resource.id);
  await sourcesGo();
  expect(await create(harness, replica, body, 'key')).toEqual(first);
  expect(await create(harness, await harness.replica(), body, 'key')).toEqual(first);
  expect(await creationOf(harness, first.resource.id)).toEqual(before);
  expect(await harness.all('ClusterCreated')).toHaveLength(1);
  expect((await refusal(create(harness, replica, body, 'another')))?.errors?.map(e => e.pointer)).toEqual([
    '/from/clusterTemplate',
    '/nodeGroups/0/from/nodeGroupTemplate',
  ]);
});

it.each(['before', 'after'])(
  'a repeat with the same idempotency key completes a creation whose writer died %s any of its appends',
  async when => {
    for (const appends of [0, 1, 2]) {
      const remembered = when === 'after' || appends > 0;
      await harness.close();
      harness = await ClustersHarness.open();
      await prepare();
      expect(await diesAt(appends, when === 'after', await harness.replica())).toBe(true);
      await sourcesGo();
      const replica = await harness.replica();
      if (remembered) {
        const { resource } = await create(harness, replica, body, 'key');
        const created = await creationOf(harness, resource.id);
        expect(created).toMatchObject({ spec: { driver: 'fake', labels: { a: '1' } }, groups: [{ name: 'web' }, {}] });
        expect((await create(harness, await harness.replica(), body, 'key')).resource).toEqual(resource);
      } else expect(await refusal(create(harness, replica, body, 'key'))).toMatchObject({ code: 'not-found' });
      expect(await harness.all('ClusterCreated')).toHaveLength(Number(remembered));
      const names = (await harness.all('NameReserved')).map(e => e.data as { targetStream: string });
      expect(names.filter(n => n.targetStream.startsWith('cluster-'))).toHaveLength(Number(remembered));
    }
  },
);

/** The writer's append of this number never happens, or nobody hears of it. Whether it came so far. */
async function diesAt(number: number, isDone: boolean, replica: Replica): Promise<boolean> {
  const { store } = harness;
  const append = store.append.bind(store);
  let count = 0;
  const spy = jest.spyOn(store, 'append').mockImplementation(async (stream, events, expected) => {
    const dies = /^(?:idempotency|name|cluster)-/.test(stream) && count++ === number;
    const result = !dies || isDone ? await append(stream, events, expected) : undefined;
    if (dies || !result) throw new Error('died');
    return result;
  });
  // as on a store where a process can die between the two
  const inOrder = jest.spyOn(store, 'appendInOrder').mockImplementation(appends => oneAfterOther(store, appends));
  const died = await create(harness, replica, body, 'key').then(
    () => false,
    () => true,
  );
  spy.mockRestore();
  inOrder.mockRestore();
  return died;
}
