import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ClusterView } from './views.js';

jest.setTimeout(180_000);

/** More than a conductor runs at a time. */
const SLOW_CLUSTERS = 73;
const HOUR_MS = 3_600_000;

describe('projects that share a conductor', () => {
  let running: EmbeddedStack;
  let admin: Fleet;
  beforeAll(async () => {
    running = await EmbeddedStack.start(undefined, { CONDUCTOR_GROUPS: '', DRIVERS_ENABLED: 'fake' });
    admin = new Fleet(running);
  });
  afterAll(() => running.close());

  /** Returns requests as a member of a new project. */
  async function tenant(): Promise<Fleet> {
    const project = expectStatus(await admin.api.post<{ id: string }>('/v1/projects', { name: uniqueName('p') }), 201);
    const key = { project: project.body.id, role: 'member' };
    const answer = expectStatus(await admin.api.post<{ key: string }>('/v1/api-keys', key), 201);
    return new Fleet({ url: running.url, adminKey: answer.body.key });
  }

  it('the cluster of a project becomes ACTIVE although another has more slow work than the conductor can run at a time', async () => {
    const [slow, quick] = [await tenant(), await tenant()];
    const options = { latencyMs: HOUR_MS };
    for (let i = 0; i < SLOW_CLUSTERS; i += 1) expectStatus(await slow.ask({ options }), 202);
    const load = async (): Promise<number> => {
      const [conductor] = await admin.api.list<{ load: number }>('/v1/conductors');
      return conductor?.load ?? 0;
    };
    // it takes at least as many tasks as one project may have
    await eventually(async () => (await load()) >= 48, { timeoutMs: 60_000, what: 'the conductor is busy' });
    const { id } = await quick.cluster({}, [{ count: 3 }]);
    expect(await quick.settled(id, 3)).toHaveLength(3);
    const others = await slow.api.list<ClusterView>('/v1/clusters?limit=500');
    expect([...new Set(others.map(({ status }) => status))]).toEqual(['CREATING']);
    expect(others).toHaveLength(SLOW_CLUSTERS);
  });
});
