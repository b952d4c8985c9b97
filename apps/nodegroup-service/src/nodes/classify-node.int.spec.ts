import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { PROJECT, World, type Replica } from '../nodegroup.fixture.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

interface Unit {
  readonly resourceId: string;
  readonly generation: number;
}

async function verdicts(replica: Replica, ...units: readonly Unit[]): Promise<readonly string[]> {
  const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;
  const body = { units: units.map(unit => ({ ...unit, kind: 'node' })) };
  return (await world.ask<{ verdicts: readonly string[] }>(replica, 'orphan', 'judge', body, meta)).verdicts;
}

it('gives up units of a generation below the one that stands, and keeps all that may still be wanted', async () => {
  const replica = await world.replica();
  const { groupIds } = await world.cluster({ a: 1 });
  await eventually(async () => (await world.all('NodeDeclared')).length === 1);
  const resourceId = (await world.all('NodeDeclared'))[0]?.stream.slice('node-'.length) ?? '';
  expect(await verdicts(replica, { resourceId, generation: 1 })).toEqual(['live']);
  await world.workOnce();
  await world.ask(replica, 'node', 'action', { id: resourceId, action: 'rebuild' });
  const both = [1, 2].map(generation => ({ resourceId, generation }));
  expect(await verdicts(replica, ...both)).toEqual(['live', 'live']);
  await eventually(async () => {
    await world.workOnce();
    return (await world.all('NodeBecameActive')).length === 2;
  });
  expect(await verdicts(replica, ...both)).toEqual(['gone', 'live']);
  expect(await verdicts(replica, { resourceId: uuidv7(), generation: 1 })).toEqual(['never']);
  expect(groupIds).toHaveLength(1);
});
