import type { ExpectedReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { PROJECT, SESSION, type Replica } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
beforeEach(async () => {
  harness = await NodeGroupHarness.open();
});
afterEach(() => harness.close());

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
  return replica.ask('health', 'expected', body, meta);
};
const observed = (replica: Replica, session: string, ...observations: readonly object[]): Promise<unknown> =>
  replica.ask('health', 'observed', { conductor: 'one', session, observations }, meta);

it('a node that is missing on the infrastructure is replaced, and its group shows the reason until then', async () => {
  const replica = await harness.replica();
  await harness.cluster({ a: 2 });
  await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length === 1, 'the group is ACTIVE');
  const { units } = await expected(replica);
  expect(units).toHaveLength(2);
  const [lost] = units;
  expect(lost).toMatchObject({ generation: 1, built: 1, seen: { state: 'running' } });
  const sight = { resourceId: lost?.resourceId, generation: 1, state: 'missing' };
  await observed(replica, 'a session that is over', sight);
  await observed(replica, SESSION, { ...sight, generation: 0 });
  expect(await harness.all('NodeBecameUnreachable')).toHaveLength(0);
  await observed(replica, SESSION, sight);
  await harness.workUntil(
    async () => (await harness.all('NodeGroupBecameActive')).length === 2,
    'the group is ACTIVE again',
  );
  const [degraded] = await harness.all('NodeGroupDegraded');
  expect(degraded?.data).toMatchObject({ reason: expect.stringContaining('infrastructure'), failed: false });
  const [gone] = await harness.all('NodesRemoved');
  expect(gone?.data).toEqual({ nodeIds: [lost?.resourceId] });
  const after = (await expected(replica)).units.map(unit => unit.resourceId);
  expect(after).toHaveLength(2);
  expect(after).not.toContain(lost?.resourceId);
});

it('the expected units are listed page by page, for the conductor that holds their slots only', async () => {
  const replica = await harness.replica();
  await harness.cluster({ a: 5 });
  expect((await expected(replica)).units).toEqual([]);
  await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length === 1, 'the group is ACTIVE');
  const first = await expected(replica, { max: 3 });
  const second = await expected(replica, { max: 3, after: first.next });
  expect(second.next).toBeUndefined();
  const ids = [...first.units, ...second.units].map(unit => unit.resourceId);
  expect(ids).toHaveLength(5);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect((await expected(replica, { conductor: 'two' })).units).toEqual([]);
  expect((await expected(replica, { holdings: [{ key: 'x:fake', version: '1.0.0' }] })).units).toEqual([]);
});

it('a request with the position of an earlier reply gets the nodes that changed or left since, from any replica', async () => {
  const replica = await harness.replica();
  await harness.cluster({ a: 3 });
  await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length === 1, 'the group is ACTIVE');
  const { units, position } = await expected(replica);
  const second = await harness.replica();
  const since = (await expected(second)).position;
  expect(await expected(replica, { since })).toMatchObject({ units: [], gone: [] });
  const sight = { resourceId: units[0]?.resourceId, generation: 1, state: 'missing' };
  await observed(replica, SESSION, sight);
  await harness.workUntil(
    async () => (await harness.all('NodeGroupBecameActive')).length === 2,
    'the group is ACTIVE again',
  );
  for (const each of [replica, second]) {
    const caughtUp = await eventually(async () => {
      const reply = await expected(each, { since });
      return reply.gone?.length === 1 && reply.units.length === 1 ? reply : undefined;
    }, 'the changes');
    expect(caughtUp.gone).toEqual([units[0]?.resourceId]);
    expect(units.map(({ resourceId }) => resourceId)).not.toContain(caughtUp.units[0]?.resourceId);
    expect(await expected(each, { since: caughtUp.position })).toMatchObject({ units: [], gone: [] });
  }
  // the second replica started later than that
  expect((await expected(second, { since: position - 1 })).gone).toBeUndefined();
});
