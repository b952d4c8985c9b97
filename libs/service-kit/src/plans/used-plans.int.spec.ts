import { EmbeddedEventStore } from '@stave/platform';
import { PlanWorld } from './dry-run-handler.fixture.js';

describe('SpentPlans', () => {
  let world: PlanWorld;
  beforeEach(async () => (world = new PlanWorld(await EmbeddedEventStore.open({ memory: true }))));
  afterEach(() => world.store.close());

  it('a creation without a name is done once with one token, by however many, and once more with that of a new plan', async () => {
    const { planToken } = await world.planned(world.create, {});
    const keys = [undefined, undefined, 'one', 'two'];
    const ask = (idempotencyKey?: string) =>
      world.ask(world.create, {}, { planToken, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    const answers = [...(await Promise.all(keys.map(ask))), await ask(), await ask('three')];
    expect(answers.filter(a => a.ok)).toHaveLength(1);
    expect(answers.filter(a => !a.ok && a.error.code === 'plan-stale')).toHaveLength(5);
    expect(await ask()).toMatchObject({ error: { detail: 'the plan does not hold: it was executed already' } });
    const again = await world.planned(world.create, {});
    expect(again.planToken).not.toBe(planToken);
    expect(await world.ask(world.create, {}, { planToken: again.planToken })).toMatchObject({ ok: true });
    expect((await world.log()).filter(e => e.type === 'Made')).toHaveLength(2);
  });

  it('a creation without a name, repeated with its key, is one, at once and later', async () => {
    const { planToken } = await world.planned(world.create, {});
    const ask = () => world.ask(world.create, {}, { planToken, idempotencyKey: 'key' });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first).toMatchObject({ ok: true });
    expect([second, await ask()]).toEqual([first, first]);
    expect((await world.log()).filter(e => e.type === 'Made')).toHaveLength(1);
  });
});
