import { staleSubject, type EpochReply } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { RingHarness } from './ring.fixture.js';

jest.setTimeout(120_000);

describe('the ring of cluster-service', () => {
  let harness: RingHarness;
  beforeEach(async () => {
    harness = await RingHarness.open();
  });
  afterEach(() => harness.close());

  const epoch = async (): Promise<number> => (await harness.ask<EpochReply>('conductor', 'epoch')).epoch;
  const mode = async (): Promise<string | undefined> => (await harness.ring())?.mode;

  it('the ring refuses a registration that arrives after a newer one of the same conductor', async () => {
    await harness.replica('group');
    const before = await epoch();
    await harness.join('a', 'a-2', { basedOn: await epoch() });
    await expect(harness.join('a', 'a-1', { basedOn: before })).rejects.toMatchObject({ error: { code: 'overtaken' } });
    expect((await harness.conductor('a')).session).toBe('a-2');
    await harness.join('a', 'a-3', { basedOn: await epoch() });
    expect((await harness.conductor('a')).session).toBe('a-3');
  });

  it('the ring offers a driver from the moment that a session registers it, and uses it for no creation before', async () => {
    await harness.replica('group');
    const offered = async (): Promise<readonly string[]> =>
      (await harness.ask<{ items: readonly { id: string }[] }>('driver', 'list', { limit: 9, filter: {} })).items.map(
        ({ id }) => id,
      );
    const create = (name: string) => harness.ask<{ resource: object }>('cluster', 'create', { name, driver: 'fake' });
    const refused = { error: { code: 'no-conductor-available', kind: 'unavailable' } };
    await harness.join('a', 'a-1', { drivers: [] });
    expect(await offered()).toEqual([]);
    await expect(harness.ask('driver', 'get', { id: 'fake' })).rejects.toMatchObject({ error: { code: 'not-found' } });
    await expect(create('early')).rejects.toMatchObject(refused);
    await harness.join('a', 'a-1', { basedOn: await epoch() });
    expect(await offered()).toEqual(['fake']);
    expect((await harness.ring())?.tables).toMatchObject([{ slots: { a: 1_024 } }]);
    expect(await create('late')).toMatchObject({ resource: { name: 'late', driver: 'fake' } });
  });

  it('the ring counts heartbeats of the live session only, also when late ones of another session arrive', async () => {
    await harness.replica('group');
    await harness.join('a', 'a-1');
    harness.keepBeating('a', 'a-1');
    await eventually(() => harness.answers.get('a-1') === 'ok', 'an answer');
    const before = await epoch();
    await harness.join('a', 'a-2');
    await expect(harness.join('a', 'a-1', { basedOn: before })).rejects.toMatchObject({ error: { kind: 'conflict' } });
    harness.beat('a', 'a-2', 5);
    await eventually(async () => (await harness.conductor('a')).load === 5, 'the load of the live session');
    expect((await harness.conductor('a')).lastHeartbeatAt).toMatch(/^\d{4}-.*Z$/);
    await eventually(
      async () => (await harness.events()).at(-1)?.type === 'ConductorExpired',
      'the end of the silent session',
    );
    expect((await harness.events()).at(-1)?.data).toMatchObject({ session: 'a-2' });
  });

  it('the ring counts the stale reports of a conductor over all its sessions', async () => {
    await harness.replica('group');
    await harness.join('a', 'a-1');
    expect((await harness.conductor('a')).staleReports).toBe(0);
    for (const conductor of ['a', 'b', 'a']) harness.messaging.publish(staleSubject, { conductor });
    await eventually(async () => (await harness.conductor('a')).staleReports === 2, 'both');
    await harness.join('a', 'a-2');
    expect((await harness.conductor('a')).staleReports).toBe(2);
  });

  it('the ring shows services as its users, not as conductors', async () => {
    await harness.replica('group');
    await harness.join('a', 'a-1');
    await eventually(async () => ((await harness.ring())?.services.length ?? 0) === 1, 'the service');
    const ring = await harness.ring();
    expect(ring).toMatchObject({ key: ':fake', mode: 'group', pinnedBy: [], tables: [{ slots: { a: 1_024 } }] });
    expect(ring?.services[0]).toMatchObject({ keyMode: 'group', release: '1.0.0' });
    expect(ring?.services[0]?.id).toMatch(/^cluster-service-/);
    const conductors = await harness.ask<{ items: readonly { id: string }[] }>('conductor', 'list', {
      limit: 50,
      filter: {},
    });
    expect(conductors.items.map(({ id }) => id)).toEqual(['a']);
  });

  it('the ring uses keys without the group while any service is pinned', async () => {
    await harness.replica('group');
    await harness.join('a', 'a-1');
    harness.keepBeating('a', 'a-1');
    expect(await mode()).toBe('group');
    const first = await harness.replica('pinned');
    await eventually(async () => (await mode()) === 'pinned', 'the pin of the first');
    expect((await harness.ring())?.key).toBe('fake');
    await harness.replica('pinned');
    await eventually(async () => (await harness.ring())?.pinnedBy.length === 2, 'both');
    await first.close();
    expect((await harness.events()).at(-1)?.type).toBe('ConductorLeft');
    await eventually(async () => (await harness.ring())?.pinnedBy.length === 1, 'one');
    expect(await mode()).toBe('pinned');

    const join = { kind: 'service', drivers: [], keyMode: 'pinned' } as const;
    await harness.join('old-service', 'o-1', join);
    harness.keepBeating('old-service', 'o-1');
    await eventually(async () => (await harness.ring())?.pinnedBy.includes('old-service') ?? false, 'another');
    harness.silence('o-1');
    await eventually(async () => (await harness.ring())?.pinnedBy.length === 1, 'its end by silence');
    expect(await mode()).toBe('pinned');
    const modes = (await harness.events()).filter(({ type }) => type === 'RingKeyModeChanged');
    expect(modes.map(({ data }) => data)).toEqual([{ mode: 'pinned' }]);
  });

  it('the ring uses keys with the group again when the last pinned service has expired', async () => {
    await harness.replica('group');
    await harness.join('a', 'a-1');
    harness.keepBeating('a', 'a-1');
    await harness.join('old-service', 'o-1', { kind: 'service', drivers: [], keyMode: 'pinned' });
    expect(await mode()).toBe('pinned');
    await eventually(async () => (await mode()) === 'group', 'its end');
    expect((await harness.ring())?.key).toBe(':fake');
    const types = (await harness.events()).slice(-2).map(({ type }) => type);
    expect(types).toEqual(['ConductorExpired', 'RingKeyModeChanged']);
    expect((await harness.conductor('a')).session).toBe('a-1');
  });
});
