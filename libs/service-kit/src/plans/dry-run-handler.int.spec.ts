import { EmbeddedEventStore } from '@stave/platform';
import { actor, PlanWorld } from './dry-run-handler.fixture.js';

describe('DryRunHandler', () => {
  let world: PlanWorld;
  beforeEach(async () => (world = new PlanWorld(await EmbeddedEventStore.open({ memory: true }))));
  afterEach(() => world.store.close());

  it('says what a change would append, which fields would differ, and appends nothing', async () => {
    await world.resize({ meta: { correlationId: 'r', actor }, body: { by: 2 } });
    const plan = await world.planned(world.resize, { by: 3 });
    expect(plan).toMatchObject({
      events: [{ type: 'Resized', stream: 'thing-x', data: { size: 5, operation: { id: '(new 1)' } } }],
      diff: [{ pointer: '/size', from: 2, to: 5, resource: { type: 'thing' } }],
      steps: [{ action: 'change', resource: { type: 'thing' } }],
    });
    expect(await world.planned(world.resize, { by: 3 })).toEqual(plan);
    expect(await world.log()).toHaveLength(1);
  });

  it('a creation shows nothing of what is made afresh, reserves no name and remembers no key', async () => {
    const plan = await world.planned(world.create, {});
    expect(plan.events.map(e => e.type)).toEqual(['NameReserved', 'Made']);
    expect(plan.events[1]).toMatchObject({
      stream: 'thing-(new 1)',
      data: { id: '(new 1)', name: 'thing-(generated)', size: 1 },
    });
    expect(JSON.stringify(plan)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(plan.steps).toEqual([{ action: 'create', resource: { type: 'thing', name: 'thing-(generated)' } }]);
    await world.ask(world.create, {}, { dryRun: true, idempotencyKey: 'key' });
    expect(await world.log()).toEqual([]);
  });

  it('refuses what the request itself is refused with', async () => {
    expect(await world.plan(world.resize, { by: 11 })).toMatchObject({ ok: false, error: { code: 'too-big' } });
    await world.ask(world.create, { name: 'one' });
    expect(await world.plan(world.create, { name: 'one' })).toMatchObject({ error: { code: 'name-taken' } });
  });

  it('with its token the change is done as planned, and its operation says so', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    expect(await world.ask(world.resize, { by: 3 }, { planToken })).toMatchObject({ ok: true });
    const event = (await world.log()).find(e => e.type === 'Resized');
    expect(event).toMatchObject({
      data: { size: 3, operation: { planned: { failed: [] } } },
      metadata: { actor: 'k' },
    });
    expect(event?.metadata).not.toHaveProperty('watch');
    await world.ask(world.resize, { by: 1 });
    expect((await world.log()).at(-1)?.data).not.toHaveProperty('operation.planned');
  });

  it('is refused once the state has moved, says what differs, and leaves nothing behind', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    await world.ask(world.resize, { by: 1 });
    for (const idempotencyKey of [undefined, 'key']) {
      const answer = await world.ask(
        world.resize,
        { by: 3 },
        { planToken, ...(idempotencyKey ? { idempotencyKey } : {}) },
      );
      expect(answer).toMatchObject({ ok: false, error: { code: 'plan-stale', kind: 'conflict' } });
      expect(answer).toMatchObject({ error: { extra: { moved: ['diff', 'events', 'steps'] } } });
    }
    expect(await world.log()).toHaveLength(1);
  });

  it('is refused for another request, and for one that would do nothing any more', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    expect(await world.ask(world.resize, { by: 4 }, { planToken })).toMatchObject({ error: { code: 'plan-stale' } });
    expect(await world.ask(world.resize, { by: 0 }, { planToken })).toMatchObject({ error: { code: 'plan-stale' } });
    const nothing = await world.planned(world.resize, { by: 0 });
    expect(nothing).toMatchObject({ events: [], diff: [], steps: [] });
    expect(await world.ask(world.resize, { by: 0 }, { planToken: nothing.planToken })).toMatchObject({ ok: true });
  });

  it('a creation with its token makes what was planned; repeated with the same key it answers as before', async () => {
    const { planToken, events } = await world.planned(world.create, { name: 'one' });
    const first = await world.ask(world.create, { name: 'one' }, { planToken, idempotencyKey: 'key' });
    expect(first).toMatchObject({ ok: true, data: { resource: { name: 'one', size: 1 } } });
    const types = (await world.log()).map(e => e.type);
    expect(types).toEqual(['RequestAccepted', 'RequestAccepted', ...events.map(e => e.type)]);
    expect(await world.ask(world.create, { name: 'one' }, { planToken, idempotencyKey: 'key' })).toEqual(first);
    expect(await world.log()).toHaveLength(types.length);
    expect(await world.ask(world.create, { name: 'one' }, { planToken })).toMatchObject({
      error: { code: 'name-taken' },
    });
  });

  it('what was refused is refused again when it is repeated, though it was remembered meanwhile', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    const { ledger } = world;
    const first = ledger.first.bind(ledger);
    // another is faster, right after the request was remembered
    ledger.first = (meta, body, perform, accept) =>
      first(
        meta,
        body,
        async (ids, repeat) => {
          ledger.first = first;
          if (!repeat) await world.resize({ meta: { correlationId: 'r', actor }, body: { by: 1 } });
          return perform(ids, repeat);
        },
        accept,
      );
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await world.ask(world.resize, { by: 3 }, { planToken, idempotencyKey: 'key' })).toMatchObject({
        error: { code: 'plan-stale' },
      });
    expect((await world.log()).map(e => e.type)).toEqual(['RequestAccepted', 'Resized']);
  });

  it('of many at once with one token exactly one is done', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.ask(world.resize, { by: 3 }, { planToken })),
    );
    expect(answers.filter(a => a.ok)).toHaveLength(1);
    expect(answers.filter(a => !a.ok && a.error.code === 'plan-stale')).toHaveLength(7);
    expect((await world.log()).filter(e => e.type === 'Resized')).toHaveLength(1);
  });

  it('says that a token is none, or that of another request', async () => {
    const { planToken } = await world.planned(world.resize, { by: 3 });
    expect(await world.ask(world.resize, { by: 3 }, { planToken: 'garbage' })).toMatchObject({
      error: { code: 'plan-stale', detail: 'the plan does not hold: this is not the token of a plan' },
    });
    expect(await world.ask(world.resize, { by: 4 }, { planToken })).toMatchObject({
      error: {
        code: 'plan-stale',
        detail: expect.stringContaining('of another request') as string,
        extra: { moved: [] },
      },
    });
  });
});
