import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from '../../e2e/fleet.js';
import { EmbeddedStack } from '../../e2e/stack.js';
import type { ContainerView, ResourceView } from '../../e2e/views.js';
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
        return status === 'DEGRADED' && statusReason.startsWith('mass-loss-suspected: ') && missing.length === count;
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
    const query = 'since=start&type=stave.node.lossSuspected.v1&limit=500';
    expect(await fleet.api.list(`/v1/events?${query}`)).toHaveLength(count);
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

  describe('of containers on nodes that are there', () => {
    const journal = (): string => cloud('journal.jsonl');
    /** Starts a cluster of one node with this many containers; returns their ids. */
    const containers = async (fleet: Fleet, clusterId: string, count: number): Promise<readonly string[]> => {
      const resources = { cpus: 0.05, memoryMb: 16 };
      const profile = { name: uniqueName('p'), image: 'web:1', resources, hostCluster: clusterId };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201).body;
      const ask = () => fleet.api.post<ContainerView>('/v1/containers', { name: uniqueName('web'), profile: id });
      return (await Promise.all(Array.from({ length: count }, () => fleet.api.succeed(ask())))).map(made => made.id);
    };
    const seen = async (fleet: Fleet, ids: readonly string[], status: string, nodeId?: string): Promise<void> => {
      await eventually(
        async () => {
          const all = await Promise.all(ids.map(id => fleet.api.read<ContainerView>(`/v1/containers/${id}`)));
          return all.every(each => each.status === status && (nodeId === undefined || each.nodeId === nodeId));
        },
        { ...WAIT, what: `${ids.length} containers are ${status}` },
      );
    };
    const clusterIs = async (fleet: Fleet, id: string, wanted: string): Promise<View> =>
      eventually(
        async () => {
          const view = await fleet.api.read<View>(`/v1/clusters/${id}`);
          return view.status === wanted ? view : undefined;
        },
        { ...WAIT, what: `the cluster is ${wanted}` },
      );
    /** Removes the containers from the data of the cloud, which keeps its nodes. */
    const lose = async (ids: readonly string[]): Promise<void> => {
      const lines = (await readFile(journal(), 'utf8')).split('\n');
      await writeFile(journal(), lines.filter(line => !ids.some(id => line.includes(id))).join('\n'));
    };
    const created = async (): Promise<number> =>
      (await journalOf(journal())).filter(({ effect, kind }) => kind === 'container' && effect === 'created').length;

    it('none fails before the loss is accepted', async () => {
      const before = new Fleet(running);
      const { id } = await before.cluster({}, [{ count: 1 }]);
      const [node] = await before.nodes(id);
      const ids = await containers(before, id, 7);
      const [kept = '', ...lost] = ids;
      const fleet = await again(() => lose(lost));
      await seen(fleet, lost, 'UNREACHABLE', node?.id);
      const { statusReason } = await clusterIs(fleet, id, 'DEGRADED');
      expect(statusReason).toMatch(/^mass-loss-suspected: containers are missing/);
      const [one = ''] = lost;
      const { statusReason: own } = await fleet.api.read<ContainerView>(`/v1/containers/${one}`);
      expect(own).toMatch(/^mass-loss-suspected: /);
      await seen(fleet, [kept], 'ACTIVE');
      await eventually(
        async () => /stave_mass_loss_suspected_containers 6/.test(await (await fetch(`${running.url}/metrics`)).text()),
        { ...WAIT, what: 'the metric' },
      );
      expect(await created()).toBe(1);
      const plan = await fleet.api.post(`/v1/clusters/${id}/actions/accept-loss?dryRun=true`);
      for (const each of lost) expect(JSON.stringify(plan.body)).toContain(each);
      expect((await fleet.api.post(`/v1/clusters/${id}/actions/accept-loss`)).status).toBeLessThan(300);
      await seen(fleet, lost, 'FAILED');
      await clusterIs(fleet, id, 'ACTIVE');
      await fleet.api.succeed(fleet.api.post(`/v1/containers/${one}/actions/start`));
      await seen(fleet, [one, kept], 'ACTIVE');
    });

    it('those that are seen again are in service again, and so is a single one that had failed', async () => {
      const before = new Fleet(running);
      const { id } = await before.cluster({}, [{ count: 1 }]);
      const ids = await containers(before, id, 6);
      const [single = '', ...others] = ids;
      await running.end('SIGTERM');
      const whole = await readFile(journal(), 'utf8');
      running = await EmbeddedStack.start(running.dataDir);
      let fleet = await again(() => lose([single]));
      await seen(fleet, [single], 'FAILED');
      await seen(fleet, others, 'ACTIVE');
      fleet = await again(() => lose(others));
      await seen(fleet, others, 'UNREACHABLE');
      await clusterIs(fleet, id, 'DEGRADED');
      fleet = await again(() => writeFile(journal(), whole));
      await seen(fleet, ids, 'ACTIVE');
      await clusterIs(fleet, id, 'ACTIVE');
      expect(await created()).toBe(6);
    });
  });
});
