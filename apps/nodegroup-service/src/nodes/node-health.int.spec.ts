import type { ExpectedReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { PROJECT, World, type Replica } from '../nodegroup.fixture.js';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

const SESSION = 'session-1';
const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;
const key = ':fake';

const expected = (replica: Replica, more: object = {}): Promise<ExpectedReply> => {
  const body = {
    conductor: 'one',
    session: SESSION,
    epoch: 0,
    holdings: [{ key, version: '1.0.0' }],
    max: 100,
    ...more,
  };
  return world.ask(replica, 'health', 'expected', body, meta);
};
const observed = (replica: Replica, session: string, ...observations: readonly object[]): Promise<unknown> =>
  world.ask(replica, 'health', 'observed', { conductor: 'one', session, observations }, meta);
const workUntil = (check: () => Promise<boolean>, what: string): Promise<unknown> =>
  eventually(async () => {
    await world.workOnce();
    return check();
  }, what);

it('replaces a node that was lost on the infrastructure; the group says why until it is whole', async () => {
  const replica = await world.replica();
  await world.cluster({ a: 2 });
  await workUntil(async () => (await world.all('NodeGroupBecameActive')).length === 1, 'active');
  const { units } = await expected(replica);
  expect(units).toHaveLength(2);
  const [lost] = units;
  expect(lost).toMatchObject({ generation: 1, built: 1, seen: { state: 'running' } });
  const sight = { resourceId: lost?.resourceId, generation: 1, state: 'missing' };
  await observed(replica, 'a session that is over', sight);
  await observed(replica, SESSION, { ...sight, generation: 0 });
  expect(await world.all('NodeBecameUnreachable')).toHaveLength(0);
  await observed(replica, SESSION, sight);
  await workUntil(async () => (await world.all('NodeGroupBecameActive')).length === 2, 'whole again');
  const [degraded] = await world.all('NodeGroupDegraded');
  expect(degraded?.data).toMatchObject({ reason: expect.stringContaining('infrastructure'), gaveUp: false });
  const [gone] = await world.all('NodesRemoved');
  expect(gone?.data).toEqual({ nodeIds: [lost?.resourceId] });
  const after = (await expected(replica)).units.map(unit => unit.resourceId);
  expect(after).toHaveLength(2);
  expect(after).not.toContain(lost?.resourceId);
});

it('tells page by page what should stand, and only to the holder of the slots', async () => {
  const replica = await world.replica();
  await world.cluster({ a: 5 });
  expect((await expected(replica)).units).toEqual([]);
  await workUntil(async () => (await world.all('NodeGroupBecameActive')).length === 1, 'active');
  const first = await expected(replica, { max: 3 });
  const second = await expected(replica, { max: 3, after: first.next });
  expect(second.next).toBeUndefined();
  const ids = [...first.units, ...second.units].map(unit => unit.resourceId);
  expect(ids).toHaveLength(5);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect((await expected(replica, { conductor: 'two' })).units).toEqual([]);
  expect((await expected(replica, { holdings: [{ key: 'x:fake', version: '1.0.0' }] })).units).toEqual([]);
});
