import { EmbeddedEventStore } from '@stave/platform';
import { PlanHarness } from './dry-run-handler.fixture.js';

describe('UsedPlans', () => {
  let harness: PlanHarness;
  beforeEach(async () => (harness = new PlanHarness(await EmbeddedEventStore.open({ memory: true }))));
  afterEach(() => harness.store.close());

  it('admits one execution of a creation without a name per token, and another one with the token of a new plan', async () => {
    const { planToken } = await harness.planned(harness.create, {});
    const keys = [undefined, undefined, 'one', 'two'];
    const ask = (idempotencyKey?: string) =>
      harness.ask(harness.create, {}, { planToken, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    const answers = [...(await Promise.all(keys.map(ask))), await ask(), await ask('three')];
    expect(answers.filter(a => a.ok)).toHaveLength(1);
    expect(answers.filter(a => !a.ok && a.error.code === 'plan-stale')).toHaveLength(5);
    expect(await ask()).toMatchObject({ error: { detail: 'the plan does not hold: it was executed already' } });
    const again = await harness.planned(harness.create, {});
    expect(again.planToken).not.toBe(planToken);
    expect(await harness.ask(harness.create, {}, { planToken: again.planToken })).toMatchObject({ ok: true });
    expect((await harness.log()).filter(e => e.type === 'Made')).toHaveLength(2);
  });

  it('executes a creation once when it is repeated with its idempotency key, concurrently or later', async () => {
    const { planToken } = await harness.planned(harness.create, {});
    const ask = () => harness.ask(harness.create, {}, { planToken, idempotencyKey: 'key' });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first).toMatchObject({ ok: true });
    expect([second, await ask()]).toEqual([first, first]);
    expect((await harness.log()).filter(e => e.type === 'Made')).toHaveLength(1);
  });
});
