import { describeOn, eventually, expectProblem, expectStatus, natsMissing } from '@stave/testing';
import type { NodeGroupView } from '../e2e/views.js';
import { RingStack } from './ring.fixture.js';

jest.setTimeout(120_000);

/** A low concurrency leaves a fleet partly built, partly in progress and partly unclaimed when its group changes. */
const CONCURRENCY = { CONDUCTOR_CONCURRENCY: '4' };
const NODES = 16;

describeOn(natsMissing(), 'conductor groups with each conductor in its own process', () => {
  let ring: RingStack;
  beforeAll(async () => {
    ring = await RingStack.start([
      { id: 'plain', group: '', env: CONCURRENCY },
      { id: 'a-one', group: 'Site-A', env: CONCURRENCY },
      { id: 'a-two', group: 'SITE-a', env: CONCURRENCY },
    ]);
  });
  afterAll(() => ring?.close());

  it('conductors receive only the work of their group, whose name ignores case', async () => {
    const groups = [{ count: 8 }, { name: 'home', count: 4, conductorGroup: '' }];
    const { id } = await ring.api.succeed(ring.ask({ conductorGroup: 'site-a' }, groups));
    const other = await ring.api.succeed(ring.ask({}, [{ count: 4 }]));
    const workers = await ring.workers();
    const siteA = new Set(['a-one', 'a-two']);
    const seen = new Set<string>();
    for (const node of await ring.nodes(id)) {
      const by = [...(workers.get(node.id) ?? [])];
      expect(by).toHaveLength(1);
      expect(node.name.startsWith('home') ? by[0] === 'plain' : siteA.has(by[0] ?? '')).toBe(true);
      seen.add(by[0] ?? '');
    }
    expect(seen).toEqual(new Set(['plain', ...siteA]));
    expect(await ring.workersOn(other.id)).toEqual(['plain']);
  });

  it.each([
    ['a cluster', { conductorGroup: '' }],
    ['its node group', { conductorGroup: null }],
  ])('conductors hand over open tasks when the group of %s changes, and finish claimed ones', async (what, back) => {
    const answer = expectStatus(await ring.ask({ options: { latencyMs: 1_000 } }, [{ count: NODES }]), 202);
    const { id } = answer.body;
    const { done, building } = await eventually(async () => {
      const now = await ring.builds();
      return now.building.length > 0 ? now : undefined;
    });
    const path = what === 'a cluster' ? `/v1/clusters/${id}` : `/v1/clusters/${id}/node-groups/w`;
    expectStatus(await ring.api.patch(path, { conductorGroup: 'site-A' }), 200);
    await ring.api.succeed(answer);

    const nodes = (await ring.nodes(id)).map(node => node.id);
    expect(nodes).toHaveLength(NODES);
    const workers = await ring.workers();
    const by = nodes.map(node => [...(workers.get(node) ?? [])]);
    expect(by.every(each => each.length === 1)).toBe(true);
    expect(new Set(by.flat())).toEqual(new Set(['plain', 'a-one', 'a-two']));
    for (const node of building.filter(each => nodes.includes(each)))
      expect([...(workers.get(node) ?? [])]).toEqual(['plain']);
    expect(done.filter(each => nodes.includes(each))).toEqual([]);
    await ring.expectSound();

    await ring.api.patch(path, back);
    const [first = ''] = nodes;
    await eventually(async () => (await ring.lookup(first)).conductorId === 'plain');
  });

  it('a request for a group without a conductor is refused with the served groups and drivers, and creates nothing', async () => {
    const { id } = await ring.api.succeed(ring.ask());
    const count = (await ring.api.list('/v1/clusters?limit=500')).length;
    const group = `/v1/clusters/${id}/node-groups`;
    const flavor = { cpus: 1, memoryMb: 512 };
    const refused = [
      await ring.ask({ conductorGroup: 'nowhere' }),
      await ring.ask({ driver: 'heat' }),
      await ring.ask({}, [{ conductorGroup: 'nowhere' }]),
      await ring.api.patch(`/v1/clusters/${id}`, { conductorGroup: 'nowhere' }),
      await ring.api.patch(`${group}/w`, { conductorGroup: 'nowhere' }),
      await ring.api.post(group, { name: 'far', role: 'worker', count: 1, flavor, conductorGroup: 'nowhere' }),
    ];
    const served = [{ driver: 'fake', versions: ['1.0.0'], groups: ['', expect.stringMatching(/^site-a$/i)] }];
    for (const answer of refused) {
      expect(expectProblem(answer, 503)).toMatchObject({ code: 'no-conductor-available', served });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(await ring.api.list('/v1/clusters?limit=500')).toHaveLength(count);
    const groups = await ring.api.list<NodeGroupView>(group);
    expect(groups.map(({ name, conductorGroup }) => [name, conductorGroup])).toEqual([['w', null]]);
  });

  it('the API shows the load, drivers and last heartbeat of conductors, and the owner of each resource', async () => {
    const answer = await ring.ask({ options: { latencyMs: 1_000 } }, [{ count: 8 }]);
    const busy = await eventually(async () => {
      const one = await ring.api.read<{ load: number }>('/v1/conductors/plain');
      return one.load > 0 ? one : undefined;
    });
    expect(busy).toMatchObject({
      id: 'plain',
      group: '',
      state: 'LIVE',
      keyMode: 'group',
      load: expect.any(Number),
      staleReports: 0,
      drivers: [{ name: 'fake', version: '1.0.0' }],
    });
    const { lastHeartbeatAt } = await ring.api.read<{ lastHeartbeatAt: string }>('/v1/conductors/a-one');
    expect(Date.now() - Date.parse(lastHeartbeatAt)).toBeLessThan(5_000);
    const claimed = await eventually(async () => {
      const places = await Promise.all((await ring.nodes(answer.body.id)).map(({ id }) => ring.lookup(id)));
      return places.find(({ claim }) => claim !== undefined);
    });
    expect(claimed).toMatchObject({ key: ':fake', conductorId: 'plain', claim: { conductor: 'plain' } });
    await ring.api.succeed(answer);
  });
});
