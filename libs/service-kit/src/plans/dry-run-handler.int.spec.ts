import { EmbeddedEventStore } from '@stave/platform';
import { actor, PlanHarness } from './dry-run-handler.fixture.js';

describe('DryRunHandler', () => {
  let harness: PlanHarness;
  beforeEach(async () => (harness = new PlanHarness(await EmbeddedEventStore.open({ memory: true }))));
  afterEach(() => harness.store.close());

  it('returns the events that a change would append and the fields that would differ, and appends nothing', async () => {
    await harness.resize({ meta: { correlationId: 'r', actor }, body: { by: 2 } });
    const plan = await harness.planned(harness.resize, { by: 3 });
    expect(plan).toMatchObject({
      events: [{ type: 'Resized', stream: 'thing-x', data: { size: 5, operation: { kind: 'thing.resize' } } }],
      diff: [{ pointer: '/size', from: 2, to: 5, resource: { type: 'thing' } }],
      steps: [{ action: 'change', resource: { type: 'thing' } }],
    });
    const { diff, steps } = await harness.planned(harness.resize, { by: 3 });
    expect({ diff, steps }).toEqual({ diff: plan.diff, steps: plan.steps });
    expect(await harness.log()).toHaveLength(1);
  });

  it('plans a creation with the ids that it will have, hides secrets, reserves no name and stores no idempotency key', async () => {
    const plan = await harness.planned(harness.create, {});
    const { id = '' } = plan.events[1]?.data as { readonly id?: string };
    const name = `thing-${id.slice(-6)}`;
    expect(plan.events.map(e => e.type)).toEqual(['NameReserved', 'Made']);
    expect(plan.events[1]).toEqual({
      type: 'Made',
      stream: `thing-${id}`,
      data: { id, name, size: 1, secret: '(generated)' },
    });
    expect(plan.steps).toEqual([{ action: 'create', resource: { type: 'thing', name } }]);
    await harness.ask(harness.create, {}, { dryRun: true, idempotencyKey: 'key' });
    expect(await harness.log()).toEqual([]);
  });

  it('refuses a dry run with the refusal of the request itself', async () => {
    expect(await harness.plan(harness.resize, { by: 11 })).toMatchObject({ ok: false, error: { code: 'too-big' } });
    await harness.ask(harness.create, { name: 'one' });
    expect(await harness.plan(harness.create, { name: 'one' })).toMatchObject({ error: { code: 'name-taken' } });
  });

  it('executes a change with its token as planned, and marks its operation as planned', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    expect(await harness.ask(harness.resize, { by: 3 }, { planToken })).toMatchObject({ ok: true });
    const event = (await harness.log()).find(e => e.type === 'Resized');
    expect(event).toMatchObject({
      data: { size: 3, operation: { planned: { failed: [] } } },
      metadata: { actor: 'k' },
    });
    expect(event?.metadata).not.toHaveProperty('admission');
    await harness.ask(harness.resize, { by: 1 });
    expect((await harness.log()).at(-1)?.data).not.toHaveProperty('operation.planned');
  });

  it('refuses a token whose resource has changed since, names the parts that differ, and appends nothing', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    await harness.ask(harness.resize, { by: 1 });
    for (const idempotencyKey of [undefined, 'key']) {
      const answer = await harness.ask(
        harness.resize,
        { by: 3 },
        { planToken, ...(idempotencyKey ? { idempotencyKey } : {}) },
      );
      expect(answer).toMatchObject({ ok: false, error: { code: 'plan-stale', kind: 'conflict' } });
      expect(answer).toMatchObject({ error: { extra: { changed: ['diff', 'events', 'steps'] } } });
    }
    expect(await harness.log()).toHaveLength(1);
  });

  it('refuses a token for another request, and for one that would change nothing now', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    expect(await harness.ask(harness.resize, { by: 4 }, { planToken })).toMatchObject({
      error: { code: 'plan-stale' },
    });
    expect(await harness.ask(harness.resize, { by: 0 }, { planToken })).toMatchObject({
      error: { code: 'plan-stale' },
    });
    const nothing = await harness.planned(harness.resize, { by: 0 });
    expect(nothing).toMatchObject({ events: [], diff: [], steps: [] });
    expect(await harness.ask(harness.resize, { by: 0 }, { planToken: nothing.planToken })).toMatchObject({ ok: true });
  });

  it('creates the planned resource with the planned ids, and answers a repeat with the same idempotency key alike', async () => {
    const { planToken, events } = await harness.planned(harness.create, { name: 'one' });
    const first = await harness.ask(harness.create, { name: 'one' }, { planToken, idempotencyKey: 'key' });
    expect(first).toMatchObject({ ok: true, data: { resource: { name: 'one', size: 1 } } });
    const types = (await harness.log()).map(e => e.type);
    expect(types).toEqual(['RequestAccepted', 'RequestAccepted', ...events.map(e => e.type)]);
    expect(first).toMatchObject({ data: { resource: { id: (events[1]?.data as { readonly id: string }).id } } });
    expect(await harness.ask(harness.create, { name: 'one' }, { planToken, idempotencyKey: 'key' })).toEqual(first);
    expect(await harness.log()).toHaveLength(types.length);
    expect(await harness.ask(harness.create, { name: 'one' }, { planToken })).toMatchObject({
      error: { code: 'plan-stale' },
    });
  });

  it('refuses the repeat of an execution that was refused, although its idempotency key was stored in between', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    const { ledger } = harness;
    const run = ledger.run.bind(ledger);
    // another request changes the resource right after the key of this one was stored
    ledger.run = (meta, body, perform, accept) =>
      run(
        meta,
        body,
        async (ids, repeat) => {
          ledger.run = run;
          if (!repeat) await harness.resize({ meta: { correlationId: 'r', actor }, body: { by: 1 } });
          return perform(ids, repeat);
        },
        accept,
      );
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await harness.ask(harness.resize, { by: 3 }, { planToken, idempotencyKey: 'key' })).toMatchObject({
        error: { code: 'plan-stale' },
      });
    expect((await harness.log()).map(e => e.type)).toEqual(['RequestAccepted', 'Resized']);
  });

  it('executes exactly one of many concurrent requests with one token', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => harness.ask(harness.resize, { by: 3 }, { planToken })),
    );
    expect(answers.filter(a => a.ok)).toHaveLength(1);
    expect(answers.filter(a => !a.ok && a.error.code === 'plan-stale')).toHaveLength(7);
    expect((await harness.log()).filter(e => e.type === 'Resized')).toHaveLength(1);
  });

  it('distinguishes a malformed token from the token of another request', async () => {
    const { planToken } = await harness.planned(harness.resize, { by: 3 });
    expect(await harness.ask(harness.resize, { by: 3 }, { planToken: 'garbage' })).toMatchObject({
      error: { code: 'plan-stale', detail: 'the plan does not hold: this is not the token of a plan' },
    });
    expect(await harness.ask(harness.resize, { by: 4 }, { planToken })).toMatchObject({
      error: {
        code: 'plan-stale',
        detail: expect.stringContaining('of another request') as string,
        extra: { changed: [] },
      },
    });
  });
});
