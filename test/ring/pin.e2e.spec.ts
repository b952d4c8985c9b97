import { connectNats, createLogger } from '@stave/platform';
import { RingRegistration } from '@stave/service-kit';
import { describeOn, eventually, natsMissing, type StaveAnswer } from '@stave/testing';
import type { ClusterView } from '../e2e/views.js';
import { RingStack } from './ring.fixture.js';

jest.setTimeout(900_000);

const PINNED = { RING_KEY_PIN: 'true', CONDUCTOR_CONCURRENCY: '3' };
const FEW = { CONDUCTOR_CONCURRENCY: '3' };
const NODES = 30;
const LEAST_LATENCY_MS = 700;

/** Ring keys omit the group while any member of the ring is pinned; no task runs twice while the keys change. */
describeOn(natsMissing(), 'the pin of ring keys', () => {
  let ring: RingStack;
  let latencyMs = LEAST_LATENCY_MS;
  const under = new Map<string, StaveAnswer<ClusterView>>();

  /** Returns the milliseconds that a conductor takes to start, which a fleet has to outlast by far. */
  const startTime = async (): Promise<number> => {
    const begin = performance.now();
    const conductor = await ring.stack.addConductor({ id: 'first', group: '' });
    const passed = performance.now() - begin;
    await conductor.stop();
    return passed;
  };
  /** Creates a fleet in each of the two groups, which keeps all conductors busy for some seconds. */
  const beginWork = async (): Promise<void> => {
    under.clear();
    for (const group of ['', 'Site-A'])
      under.set(group, await ring.ask({ conductorGroup: group, options: { latencyMs } }, [{ count: NODES }]));
    await eventually(async () => (await ring.builds()).building.length > 0);
  };
  const finishWork = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const answer of under.values()) ids.push((await ring.api.succeed(answer, 600_000)).id);
    for (const id of ids) expect(await ring.nodes(id)).toHaveLength(NODES);
    return ids;
  };

  beforeAll(async () => {
    ring = await RingStack.start([
      { id: 'plain', group: '', env: FEW },
      { id: 'a-one', group: 'Site-A', env: FEW },
    ]);
    const needed = (3 * (await startTime()) * Number(FEW.CONDUCTOR_CONCURRENCY)) / NODES;
    latencyMs = Math.ceil(Math.max(LEAST_LATENCY_MS, needed));
  }, 300_000);
  afterAll(() => ring?.close());
  /** Removes a pin that a failed test left, which would fail the next one. */
  afterEach(async () => {
    for (const id of ['old', 'older']) if (ring.stack.processes.has(id)) await ring.stack.process(id).kill();
  });

  it('the ring keys are pinned from the first pinned conductor until it leaves, while work continues', async () => {
    expect(await ring.keysIn('group')).toEqual([':fake', 'site-a:fake']);
    await beginWork();
    const old = await ring.stack.addConductor({ id: 'old', group: '', env: PINNED });
    expect(await ring.keysIn('pinned')).toEqual(['fake']);
    const [pinned] = await ring.rings();
    expect(pinned?.pinnedBy).toEqual(['old']);
    expect(pinned).not.toHaveProperty('group');
    const [home, away] = await finishWork();

    const atHome = await ring.workersOn(home ?? '');
    const outside = await ring.workersOn(away ?? '');
    expect(atHome).toContain('a-one');
    expect(outside).toContain('plain');
    expect([...atHome, ...outside]).toContain('old');

    await beginWork();
    await old.stop();
    expect(await ring.keysIn('group')).toEqual([':fake', 'site-a:fake']);
    const [, later = ''] = await finishWork();
    const [node] = await ring.nodes(later);
    expect(await ring.lookup(node?.id ?? '')).toMatchObject({ key: 'site-a:fake', conductorId: 'a-one' });
    await ring.expectSound();
  });

  it('the pin ends when the last pinned conductor is killed in the middle of its work', async () => {
    const old = await ring.stack.addConductor({ id: 'older', group: 'Site-A', env: PINNED });
    expect(await ring.keysIn('pinned')).toEqual(['fake']);
    await beginWork();
    await old.kill();
    expect(await ring.keysIn('group')).toEqual([':fake', 'site-a:fake']);
    await finishWork();
    await ring.expectSound();
  });

  it('pinned services also pin the ring keys, and each of their processes is registered', async () => {
    const kinds = async (): Promise<readonly string[]> =>
      ((await ring.rings())[0]?.services ?? []).map(({ id }) => id.slice(0, -37)).sort();
    expect(await kinds()).toEqual(['cluster-service', 'container-scheduler', 'nodegroup-service']);
    const messaging = await connectNats({ servers: ring.stack.nats.url, name: 'an older service' });
    const older = new RingRegistration({
      service: 'nodegroup-service',
      ringUser: { release: '0.0.9', keyMode: 'pinned' },
      messaging,
      log: createLogger('test', 'silent'),
    });
    older.start();
    try {
      expect(await ring.keysIn('pinned')).toEqual(['fake']);
      const [{ pinnedBy, services } = { pinnedBy: [], services: [] }] = await ring.rings();
      expect(pinnedBy).toEqual([older.member]);
      expect(services).toContainEqual(expect.objectContaining({ id: older.member, release: '0.0.9' }));
      await beginWork();
    } finally {
      await older.stop();
      await messaging.close();
    }
    expect(await ring.keysIn('group')).toEqual([':fake', 'site-a:fake']);
    await finishWork();
    await ring.expectSound();
  });

  it('a restarted service replaces its earlier registration in the ring', async () => {
    const before = (await ring.rings())[0]?.services.map(({ id }) => id) ?? [];
    await ring.stack.process('nodegroup-service').restart();
    const after = await eventually(async () => {
      const now = (await ring.rings())[0]?.services.map(({ id }) => id) ?? [];
      return now.length === before.length && now.some(id => !before.includes(id)) ? now : undefined;
    });
    expect(after.filter(id => !before.includes(id))).toEqual([expect.stringMatching(/^nodegroup-service-/)]);
  });
});
