import { eventually, expectProblem, expectStatus } from '@stave/testing';
import { Fleet } from './fleet.js';
import { ScaledSet } from './scaled-set.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ContainerSetView } from './views.js';

const TIMEOUT_MS = 240_000;

interface Resized extends CloudEventView {
  readonly actor?: string;
  readonly data: {
    readonly desired: number;
    readonly cause: { readonly kind: string; readonly by?: string; readonly load?: { readonly from: number } };
  };
}

interface Figures {
  readonly timeline: readonly { readonly desired: number }[];
  readonly memberHours: number;
}

interface Backtest extends Figures {
  readonly coverage: number;
  readonly actual: Figures;
}

/** Tests that container sets follow the simulated load of their members. */
export function describeSetAutoscaling(stack: StackOf): void {
  describe('container sets that follow their load', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const backtest = async (set: ScaledSet, body: object): Promise<Backtest> =>
      expectStatus(await fleet.api.post<Backtest>(`${set.path}/actions/backtest`, body), 200).body;
    const desiredIn = ({ timeline }: Pick<Backtest, 'timeline'>) => timeline.map(({ desired }) => desired);

    it(
      'a set grows with its load, shrinks after it, and stays as a user resizes it',
      async () => {
        const set = await ScaledSet.create(fleet, 1.2);
        await set.has(3);
        await set.is(
          'the third member is sampled',
          ({ state, metrics }) => state === 'steady' && metrics[0]?.known === 3,
        );
        await set.load(0.3);
        await set.has(1);
        const after = await set.read();
        expect(after).toMatchObject({ desired: 1, lastChange: { to: 1 } });
        expect(after.lastChange).not.toHaveProperty('by');
        expect(after.evaluations.length).toBeGreaterThan(5);
        await fleet.api.succeed(fleet.api.post(`${set.path}/actions/resize`, { count: 4 }));
        const held = await set.is('it is held', ({ state }) => state === 'held');
        expect(held).toMatchObject({ desired: 4, lastChange: { from: 1, to: 4 } });
        expect(held.reason).toBe(`it was resized by ${held.lastChange?.by}`);
        const all = await fleet.api.list<Resized>(`${set.path}/events?limit=500`);
        const resized = all.filter(({ type }) => type.includes('resized'));
        expect(resized.map(({ data }) => data.cause.kind).slice(-2)).toEqual(['autoscaler', 'resize']);
        expect(resized[0]).toMatchObject({ actor: 'autoscaler', data: { desired: 3, cause: { load: { from: 2 } } } });
        const again = await backtest(set, {});
        expect(desiredIn(again)).toEqual(desiredIn(again.actual));
        expect(desiredIn(again)).toEqual([2, ...resized.map(({ data }) => data.desired)]);
        expect(again.coverage).toBeGreaterThan(0.3);
        const eager = await backtest(set, { autoscaling: { metrics: [{ resource: 'cpu', target: 0.2 }] } });
        expect(eager.memberHours).toBeGreaterThan(again.memberHours);
        expect((await set.read()).desired).toBe(4);
      },
      TIMEOUT_MS,
    );

    it(
      'a policy limits the step, and a set at its maximum says so',
      async () => {
        const set = await ScaledSet.create(fleet, 20, { metrics: [{ resource: 'cpu', target: 0.1 }] });
        const properties = { direction: 'out', adjustment: { type: 'change', number: 1 }, cooldownSeconds: 3600 };
        const policy = { name: `one-${set.id}`, type: 'scaling', properties };
        const { body } = await fleet.api.post<{ id: string }>('/v1/policies', policy);
        expectStatus(await fleet.api.put(`${set.path}/policies/${body.id}`, {}), 200);
        await set.is('the cooldown runs', ({ state, desired }) => state === 'held' && desired > 2);
        expectStatus(await fleet.api.delete(`${set.path}/policies/${body.id}`), 204);
        await set.is('the maximum', ({ state, desired }) => state === 'atMax' && desired === 6);
        // the policy was in force then, and is not any more
        const again = await backtest(set, {});
        expect(desiredIn(again)).toEqual(desiredIn(again.actual));
        const unlimited = { target: set.id, properties: { adjustment: { type: 'change', number: 4 } } };
        const more = await fleet.api.post<Backtest>(`/v1/policies/${body.id}/actions/backtest`, unlimited);
        const planned = await fleet.api.post(`/v1/policies/${body.id}/actions/backtest?dryRun=true`, unlimited);
        expect(expectStatus(planned, 200).body).toMatchObject({ events: [], diff: [], steps: [] });
        expect(desiredIn(expectStatus(more, 200).body).at(-1)).toBe(6);
        expectStatus(await fleet.api.patch(set.path, { max: 4 }), 202);
        const isBounded = async (): Promise<boolean> => {
          const { desired, max } = await fleet.api.read<ContainerSetView & { readonly max: number }>(set.path);
          return desired === 4 && max === 4;
        };
        await eventually(isBounded, { what: 'the bound is shown' });
      },
      TIMEOUT_MS,
    );

    it('settings that cannot work are refused with each field, and a patch of the desired number is refused', async () => {
      const set = await ScaledSet.create(fleet, 0.8);
      const patch = (body: object) => fleet.api.patch(set.path, body);
      expect(expectProblem(await patch({ desired: 3 }), 409).code).toBe('autoscaled');
      expectProblem(await patch({ max: null }), 422, '/max');
      const bad = { metrics: [], windowSeconds: 0, tolerance: 0.6, scaleIn: { maxStep: '0%' }, often: 1 };
      const pointers = ['/metrics', '/windowSeconds', '/tolerance', '/scaleIn/maxStep', '/often'];
      expectProblem(await patch({ autoscaling: bad }), 400, ...pointers.map(each => `/autoscaling${each}`));
      const memory = {
        overrides: { resources: { cpus: 0.5 } },
        autoscaling: { metrics: [{ resource: 'memory', target: 0.5 }] },
      };
      expectProblem(await patch(memory), 422, '/autoscaling/metrics/0/resource');
      const profile = (await fleet.api.read<{ profileId: string }>(set.path)).profileId;
      const create = { profile, autoscaling: { enabled: true, metrics: [{ resource: 'cpu', target: 0.5 }] } };
      expectProblem(await fleet.api.post('/v1/container-sets', create), 422, '/max');
      expectProblem(
        await fleet.api.post('/v1/container-sets', { profile, autoscaling: {} }),
        400,
        '/autoscaling/metrics',
      );
      const old = { from: '2020-01-01T00:00:00Z', to: '2019-01-01T00:00:00Z' };
      expectProblem(await fleet.api.post(`${set.path}/actions/backtest`, old), 422, '/from');
      expectProblem(await fleet.api.post(`${set.path}/actions/backtest`, { to: 'now' }), 400, '/to');
      expectStatus(await patch({ autoscaling: null }), 200);
      expectProblem(await patch({ autoscaling: { enabled: true } }), 400, '/autoscaling/metrics');
      expectProblem(await fleet.api.post(`${set.path}/actions/backtest`, {}), 422, '/autoscaling');
      expect(await set.read()).toMatchObject({ state: 'disabled' });
      expect(await fleet.api.read(set.path)).not.toHaveProperty('autoscaling');
      expectStatus(await patch({ desired: 3 }), 202);
    });
  });
}
