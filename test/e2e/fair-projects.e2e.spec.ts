import { eventually, expectStatus, uniqueName, type OperationView } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ClusterView } from './views.js';

jest.setTimeout(180_000);

/** More than a conductor runs at a time. */
const SLOW_CLUSTERS = 73;
const HOUR_MS = 3_600_000;

let running: EmbeddedStack;
let admin: Fleet;
afterEach(() => running.close());

async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  running = await EmbeddedStack.start(undefined, { CONDUCTOR_GROUPS: '', DRIVERS_ENABLED: 'fake', ...settings });
  admin = new Fleet(running);
}

/** Returns requests as a member of a new project. */
async function tenant(): Promise<Fleet> {
  const project = expectStatus(await admin.api.post<{ id: string }>('/v1/projects', { name: uniqueName('p') }), 201);
  const key = { project: project.body.id, role: 'member' };
  const answer = expectStatus(await admin.api.post<{ key: string }>('/v1/api-keys', key), 201);
  return new Fleet({ url: running.url, adminKey: answer.body.key });
}

async function load(): Promise<number> {
  const [conductor] = await admin.api.list<{ load: number }>('/v1/conductors');
  return conductor?.load ?? 0;
}

/** The operations of a project of which a step was begun. */
const begunOf = async (project: Fleet): Promise<number> =>
  (await project.api.list<OperationView>('/v1/operations?limit=500')).filter(({ steps }) =>
    steps.some(({ status }) => status === 'RUNNING'),
  ).length;

describe('projects that share a conductor', () => {
  it('the cluster of a project becomes ACTIVE although another has more slow work than the conductor can run at a time', async () => {
    await start();
    const [slow, quick] = [await tenant(), await tenant()];
    const options = { latencyMs: HOUR_MS };
    for (let i = 0; i < SLOW_CLUSTERS; i += 1) expectStatus(await slow.ask({ options }), 202);
    // it takes at least as many tasks as one project may have
    await eventually(async () => (await load()) >= 48, { timeoutMs: 60_000, what: 'the conductor is busy' });
    const { id } = await quick.cluster({}, [{ count: 3 }]);
    expect(await quick.settled(id, 3)).toHaveLength(3);
    const others = await slow.api.list<ClusterView>('/v1/clusters?limit=500');
    expect([...new Set(others.map(({ status }) => status))]).toEqual(['CREATING']);
    expect(others).toHaveLength(SLOW_CLUSTERS);
  });

  it.each([1, 3])(
    'of each project %i tasks run at a time where PROJECT_CONCURRENCY says so, and the others wait',
    async limit => {
      await start({ PROJECT_CONCURRENCY: String(limit) });
      const slow = [await tenant(), await tenant(), await tenant()];
      const options = { latencyMs: HOUR_MS };
      for (const project of slow)
        for (let i = 0; i < 3 * limit; i += 1) expectStatus(await project.ask({ options }), 202);
      const all = (): Promise<number[]> => Promise.all(slow.map(begunOf));
      const expected = slow.map(() => limit);
      await eventually(async () => String(await all()) === String(expected), {
        timeoutMs: 60_000,
        what: 'each has its share',
      });
      const quick = await tenant();
      for (let i = 0; i < 3; i += 1) await quick.cluster({}, [{ count: 2 }]);
      expect(await all()).toEqual(expected);
      await eventually(async () => (await load()) === 3 * limit, { what: 'the conductor reports these and no others' });
    },
  );
});
