import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT, World } from '../nodegroup.fixture.js';
import { NodeGroupModels } from '../nodegroup-models.js';

let world: World;
beforeEach(async () => void (world = await World.open()));
afterEach(() => world.close());

it('a group of before update strategies works on with that of then; what was written stays as it was', async () => {
  const replica = await world.replica();
  const { id: clusterId } = await world.cluster({});
  const id = uuidv7();
  const data = { id, clusterId, projectId: PROJECT, name: 'old', spec: groupSpec(1), operationId: 'x' };
  const metadata = { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'c', project: PROJECT };
  await world.store.append(
    `nodeGroup-${id}`,
    [{ id: uuidv7(), type: 'NodeGroupCreated', data, metadata }],
    'no_stream',
  );

  const { state } = await new NodeGroupModels(world.store).groups.load(id);
  expect(state.spec?.updateStrategy).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  await eventually(async () => {
    await world.workOnce();
    return (await world.all('NodeGroupBecameActive')).length === 1;
  });
  expect(await world.ask(replica, 'node-group', 'get', { id })).toMatchObject({
    name: 'old',
    updateStrategy: { maxSurge: 1, maxUnavailable: 0 },
  });
  const [stored] = await world.store.readStream(`nodeGroup-${id}`);
  expect(stored).toMatchObject({ metadata: { schemaVersion: 1 }, data: { spec: groupSpec(1) } });
  expect(stored?.data).not.toHaveProperty('spec.updateStrategy');
});
