import {
  containerUsageSubject,
  type CommandResult,
  type ContainerUsageSamples,
  type ExpectedReply,
} from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { SESSION } from '@stave/service-kit/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

const autoscaling = {
  enabled: true,
  metrics: [{ resource: 'cpu', target: 0.5 }],
  windowSeconds: 3,
  intervalSeconds: 1,
  warmUpSeconds: 0,
  scaleIn: { stabilisationSeconds: 2 },
};

interface Shown {
  readonly state: string;
  readonly reason: string;
  readonly desired: number;
  readonly recommended: number | null;
  readonly heldUntil?: string;
  readonly evaluations: readonly { readonly at: string }[];
}

describe('container sets that follow their load', () => {
  let harness: SchedulerHarness;
  let sampling: NodeJS.Timeout | undefined;
  let load = 0;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
    for (const name of ['n1', 'n2', 'n3']) await harness.node(name);
  });
  afterEach(async () => {
    clearInterval(sampling);
    await harness.close();
  });

  const ask = (verb: string, body: object): Promise<CommandResult> => harness.first.ask('container-set', verb, body);
  const patch = (change: object): Promise<CommandResult> => ask('patch', { id: 'web', patch: change });
  const create = (more: object = {}): Promise<CommandResult> =>
    ask('create', { name: 'web', profile: 'nginx', desired: 2, min: 1, max: 8, autoscaling, ...more });
  const shown = (): Promise<Shown> => harness.first.ask('container-set', 'autoscaling', { id: 'web' });
  const resized = (id: string) => harness.events(`containerSet-${id}`, 'ContainerSetResized');

  /** Completes what there is to do, until the answer is as expected. */
  const is = (what: string, fits: (answer: Shown) => boolean): Promise<Shown> =>
    eventually(async () => {
      await harness.completeAll();
      const answer = await shown();
      return fits(answer) ? answer : undefined;
    }, what);

  /** Publishes what the active members use: each has an even part of the load. */
  function sample(): void {
    sampling = setInterval(() => {
      void harness.all('ContainerBecameActive').then(async active => {
        const removed = new Set((await harness.all('ContainerDeleted')).map(({ stream }) => stream));
        const ids = [...new Set(active.map(({ stream }) => stream))]
          .filter(stream => !removed.has(stream))
          .map(stream => stream.slice('container-'.length));
        const samples: ContainerUsageSamples = {
          at: new Date().toISOString(),
          periodMs: 500,
          containerIds: ids,
          nodeIds: ids.map(() => 'n1'),
          cpuCores: ids.map(() => Math.min(1, load / ids.length)),
          memoryMb: ids.map(() => 10),
        };
        harness.first.messaging.publish(containerUsageSubject, samples);
      });
    }, 250);
  }

  it('grow with it and shrink after it, by the autoscaler as the actor, and hold when a user resizes them', async () => {
    const { resource } = await create();
    expect(resource['autoscaling']).toMatchObject({
      tolerance: 0.1,
      scaleIn: { stabilisationSeconds: 2, maxStep: '50%' },
    });
    load = 1;
    sample();
    await is('steady at 2', ({ state, recommended }) => state === 'steady' && recommended === 2);
    load = 2.4;
    // while the window still shows the lower load, an intermediate number may be decided
    await is('5 members', ({ desired }) => desired === 5);
    const [first] = await resized(resource.id);
    expect(first).toMatchObject({
      metadata: { actor: 'autoscaler' },
      data: { cause: { kind: 'autoscaler', load: { from: 2, metrics: [{ resource: 'cpu', target: 0.5 }] } } },
    });
    load = 0.4;
    await is('1 member', ({ desired }) => desired === 1);
    await ask('action', { id: 'web', action: 'resize', count: 4 });
    load = 3.9;
    const held = await is('held', ({ state }) => state === 'held');
    expect(held).toMatchObject({ desired: 4, reason: expect.stringMatching(/^it was resized by \S/) as string });
    expect(Date.parse(held.heldUntil ?? '') - Date.now()).toBeGreaterThan(250_000);
    await expect(patch({ desired: 3 })).rejects.toMatchObject({ error: { code: 'autoscaled', kind: 'conflict' } });
    await patch({ max: 3 });
    expect(await shown()).toMatchObject({ desired: 3 });
  });

  it('are unknown without samples, and disabled without settings', async () => {
    await create({ autoscaling: { ...autoscaling, enabled: false } });
    expect(await shown()).toMatchObject({ state: 'disabled', recommended: null, evaluations: [] });
    await patch({ autoscaling: { enabled: true } });
    const unknown = await is('evaluated', ({ evaluations }) => evaluations.length > 1);
    expect(unknown).toMatchObject({ state: 'unknown', metrics: [{ resource: 'cpu', use: null, known: 0 }] });
    await patch({ autoscaling: null });
    expect(await shown()).toMatchObject({ state: 'disabled', evaluations: [], metrics: [] });
    const incomplete = {
      error: {
        kind: 'invalid',
        code: 'validation-failed',
        errors: [{ pointer: '/autoscaling/metrics', code: 'required' }],
      },
    };
    await expect(patch({ autoscaling: { enabled: true } })).rejects.toMatchObject(incomplete);
    await expect(ask('backtest', { id: 'web', autoscaling: { tolerance: 0.2 } })).rejects.toMatchObject(incomplete);
  });

  it('are evaluated by each replica; the next one knows the past, and the scale-in window begins again after a restart', async () => {
    const { resource } = await create({ autoscaling: { ...autoscaling, scaleIn: { stabilisationSeconds: 3600 } } });
    load = 0.1;
    sample();
    await is('fewer would do', ({ recommended, state }) => recommended === 1 && state === 'steady');
    const second = await harness.replica();
    await harness.first.stop();
    expect(harness.first).toBe(second);
    const again = await is(
      'evaluated again',
      ({ evaluations, recommended }) => recommended === 1 && evaluations.length > 2,
    );
    expect(again).toMatchObject({ desired: 2, state: 'steady' });
    expect(await resized(resource.id)).toEqual([]);
  });

  it('refuse policies that scale to an exact number, from each side', async () => {
    await create();
    const exact = { direction: 'out', adjustment: { type: 'exact', number: 4 } };
    const policy = (verb: string, body: object): Promise<CommandResult> => harness.first.ask('policy', verb, body);
    await policy('create', { name: 'four', type: 'scaling', properties: exact });
    await policy('create', {
      name: 'two',
      type: 'scaling',
      properties: { ...exact, adjustment: { type: 'change', number: 2 } },
    });
    const attach = (id: string) => policy('attach', { id, target: 'web', targetType: 'containerSet' });
    const refused = { error: { kind: 'rule', code: 'exact-policy' } };
    await expect(attach('four')).rejects.toMatchObject(refused);
    await attach('two');
    const change = { id: 'two', patch: { properties: { adjustment: { type: 'exact', number: 3 } } } };
    await expect(policy('patch', change)).rejects.toMatchObject(refused);
    await patch({ autoscaling: { enabled: false } });
    await policy('patch', change);
    await expect(patch({ autoscaling: { enabled: true } })).rejects.toMatchObject(refused);
  });

  it('let the conductors of their cluster sample as often as their window needs', async () => {
    const samplingMs = async (key: string): Promise<unknown> => {
      const request = { conductor: 'one', session: SESSION, epoch: 0, holdings: [{ key, version: '1.0.0' }], max: 10 };
      return (await harness.first.ask<ExpectedReply>('health', 'expected', request)).samplingMs;
    };
    await create({ autoscaling: { ...autoscaling, windowSeconds: 60 } });
    expect(await samplingMs(':fake')).toBeUndefined();
    await patch({ autoscaling: { windowSeconds: 10 } });
    const wanted = await eventually(() => samplingMs(':fake'), 'the period');
    expect([wanted, await samplingMs('east:fake')]).toEqual([2_000, undefined]);
    await patch({ autoscaling: { windowSeconds: 2 } });
    await eventually(async () => (await samplingMs(':fake')) === 1_000, 'the shortest period');
    await patch({ autoscaling: { enabled: false } });
    await eventually(async () => (await samplingMs(':fake')) === undefined, 'no period');
  });
});
