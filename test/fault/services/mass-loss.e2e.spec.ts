import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@stave/testing';
import { Fleet } from '../../e2e/fleet.js';
import { EmbeddedStack } from '../../e2e/stack.js';
import { journalOf } from '../read-history.js';

jest.setTimeout(240_000);

const WAIT = { timeoutMs: 120_000, everyMs: 200 };

describe('the loss of many nodes at once', () => {
  let running: EmbeddedStack;
  beforeEach(async () => void (running = await EmbeddedStack.start()));
  afterEach(() => running.close());

  const cloud = (...path: readonly string[]): string => join(running.dataDir, 'fake-cloud', ...path);
  /** Restarts the product after a change of the cloud's data. */
  const again = async (change: () => Promise<unknown>): Promise<Fleet> => {
    await running.end('SIGTERM');
    await change();
    running = await EmbeddedStack.start(running.dataDir);
    return new Fleet(running);
  };
  interface View {
    readonly status: string;
    readonly statusReason?: string;
    readonly name: string;
    readonly infrastructureId?: string;
  }
  const nodesOf = async ({ api }: Fleet, id: string): Promise<readonly View[]> =>
    (await api.read<{ items: readonly View[] }>(`/v1/clusters/${id}/nodes?sort=name&limit=500`)).items;
  const suspected = async (fleet: Fleet, id: string, count: number): Promise<void> => {
    await eventually(
      async () => {
        const { status, statusReason = '' } = await fleet.api.read<View>(`/v1/clusters/${id}`);
        const missing = (await nodesOf(fleet, id)).filter(n => n.statusReason?.startsWith('mass-loss-suspected: '));
        return status === 'DEGRADED' && statusReason.includes('mass-loss-suspected') && missing.length === count;
      },
      { ...WAIT, what: 'the suspicion' },
    );
  };
  const builds = async (): Promise<number> =>
    (await journalOf(cloud('journal.jsonl'))).filter(({ effect, kind }) => kind === 'node' && effect === 'created')
      .length;

  it.each([
    ['its data is lost and it has another identity', () => rm(cloud(), { recursive: true }), 20],
    ['its data is lost and it has the same identity', () => rm(cloud('journal.jsonl')), 20],
    ['few nodes are lost with its identity', () => rm(cloud(), { recursive: true }), 2],
  ])('nothing is rebuilt on an old log with an empty cloud when %s', async (_how, lose, count) => {
    const before = new Fleet(running);
    const { id } = await before.cluster({}, [{ count }]);
    const fleet = await again(lose);
    await suspected(fleet, id, count);
    expect(await builds()).toBe(0);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/stave_mass_loss_suspected_nodes \d+/);
    const plan = await fleet.api.post(`/v1/clusters/${id}/actions/accept-loss?dryRun=true`);
    expect(JSON.stringify(plan.body)).toContain('missing nodes are replaced');
    expect((await fleet.api.post(`/v1/clusters/${id}/actions/accept-loss`)).status).toBeLessThan(300);
    await eventually(
      async () => {
        const nodes = await nodesOf(fleet, id);
        return nodes.length === count && nodes.every(({ status }) => status === 'ACTIVE');
      },
      { ...WAIT, what: 'the nodes are replaced' },
    );
    await eventually(async () => (await fleet.api.read<View>(`/v1/clusters/${id}`)).status === 'ACTIVE', WAIT);
    expect((await fleet.api.post(`/v1/clusters/${id}/actions/accept-loss`)).status).toBe(409);
  });

  it('nodes that are seen again are in service again, and none was built', async () => {
    const before = new Fleet(running);
    const { id } = await before.cluster({}, [{ count: 8 }]);
    const nodes = await nodesOf(before, id);
    const aside = join(running.dataDir, 'aside');
    const fleet = await again(() => rename(cloud(), aside));
    await suspected(fleet, id, 8);
    const later = await again(async () => {
      await rm(cloud(), { recursive: true });
      await rename(aside, cloud());
    });
    await eventually(async () => (await later.api.read<View>(`/v1/clusters/${id}`)).status === 'ACTIVE', WAIT);
    const units = (all: readonly View[]): unknown => all.map(({ name, infrastructureId }) => [name, infrastructureId]);
    expect(units(await nodesOf(later, id))).toEqual(units(nodes));
  });
});
