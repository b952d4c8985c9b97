import { staleSubject, type EpochReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { RingHarness } from './ring.fixture.js';

jest.setTimeout(60_000);

describe('the ring of cluster-service', () => {
  let world: RingHarness;
  beforeEach(async () => {
    world = await RingHarness.open();
  });
  afterEach(() => world.close());

  const epoch = async (): Promise<number> => (await world.ask<EpochReply>('conductor', 'epoch')).epoch;
  const mode = async (): Promise<string | undefined> => (await world.ring())?.mode;

  it('refuses a registration that comes after a newer one of the same conductor', async () => {
    await world.replica('group');
    const before = await epoch();
    await world.join('a', 'a-2', { basedOn: await epoch() });
    await expect(world.join('a', 'a-1', { basedOn: before })).rejects.toMatchObject({ error: { code: 'overtaken' } });
    expect((await world.conductor('a')).session).toBe('a-2');
    await world.join('a', 'a-3', { basedOn: await epoch() });
    expect((await world.conductor('a')).session).toBe('a-3');
  });

  it('hears what the live session says, whatever comes late from another', async () => {
    await world.replica('group');
    await world.join('a', 'a-1');
    world.keepBeating('a', 'a-1');
    await eventually(() => world.answers.get('a-1') === 'ok', 'an answer');
    const before = await epoch();
    await world.join('a', 'a-2');
    await expect(world.join('a', 'a-1', { basedOn: before })).rejects.toMatchObject({ error: { kind: 'conflict' } });
    world.beat('a', 'a-2', 5);
    await eventually(async () => (await world.conductor('a')).load === 5, 'the load of the live session');
    expect((await world.conductor('a')).lastHeartbeatAt).toMatch(/^\d{4}-.*Z$/);
    await eventually(
      async () => (await world.events()).at(-1)?.type === 'ConductorExpired',
      'the end of the silent session',
    );
    expect((await world.events()).at(-1)?.data).toMatchObject({ session: 'a-2' });
  });

  it('counts the stale reports of a conductor on its record, over its sessions', async () => {
    await world.replica('group');
    await world.join('a', 'a-1');
    expect((await world.conductor('a')).staleReports).toBe(0);
    for (const conductor of ['a', 'b', 'a']) world.messaging.publish(staleSubject, { conductor });
    await eventually(async () => (await world.conductor('a')).staleReports === 2, 'both');
    await world.join('a', 'a-2');
    expect((await world.conductor('a')).staleReports).toBe(2);
  });

  it('shows services as users of the ring, not as conductors', async () => {
    await world.replica('group');
    await world.join('a', 'a-1');
    await eventually(async () => ((await world.ring())?.services.length ?? 0) === 1, 'the service');
    const ring = await world.ring();
    expect(ring).toMatchObject({ key: ':fake', mode: 'group', pinnedBy: [], tables: [{ slots: { a: 1_024 } }] });
    expect(ring?.services[0]).toMatchObject({ keyMode: 'group', release: '1.0.0' });
    expect(ring?.services[0]?.id).toMatch(/^cluster-service-/);
    const conductors = await world.ask<{ items: readonly { id: string }[] }>('conductor', 'list', {
      limit: 50,
      filter: {},
    });
    expect(conductors.items.map(({ id }) => id)).toEqual(['a']);
  });

  it('uses keys without the group from the first pinned service to the last, whichever way it goes', async () => {
    await world.replica('group');
    await world.join('a', 'a-1');
    world.keepBeating('a', 'a-1');
    expect(await mode()).toBe('group');
    const first = await world.replica('pinned');
    await eventually(async () => (await mode()) === 'pinned', 'the pin of the first');
    expect((await world.ring())?.key).toBe('fake');
    await world.replica('pinned');
    await eventually(async () => (await world.ring())?.pinnedBy.length === 2, 'both');
    await first.close();
    expect((await world.events()).at(-1)?.type).toBe('ConductorLeft');
    await eventually(async () => (await world.ring())?.pinnedBy.length === 1, 'one');
    expect(await mode()).toBe('pinned');

    const join = { kind: 'service', drivers: [], keyMode: 'pinned' } as const;
    await world.join('old-service', 'o-1', join);
    world.keepBeating('old-service', 'o-1');
    await eventually(async () => (await world.ring())?.pinnedBy.includes('old-service') ?? false, 'another');
    world.silence('o-1');
    await eventually(async () => (await world.ring())?.pinnedBy.length === 1, 'its end by silence');
    expect(await mode()).toBe('pinned');
    const modes = (await world.events()).filter(({ type }) => type === 'RingKeyModeChanged');
    expect(modes.map(({ data }) => data)).toEqual([{ mode: 'pinned' }]);
  });

  it('goes back to keys with the group when the last pinned service falls silent', async () => {
    await world.replica('group');
    await world.join('a', 'a-1');
    world.keepBeating('a', 'a-1');
    await world.join('old-service', 'o-1', { kind: 'service', drivers: [], keyMode: 'pinned' });
    expect(await mode()).toBe('pinned');
    await eventually(async () => (await mode()) === 'group', 'its end');
    expect((await world.ring())?.key).toBe(':fake');
    const types = (await world.events()).slice(-2).map(({ type }) => type);
    expect(types).toEqual(['ConductorExpired', 'RingKeyModeChanged']);
    expect((await world.conductor('a')).session).toBe('a-1');
  });
});
