import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, StaveClient, uniqueName, type StaveAnswer } from '@stave/testing';
import { startDistributed, type ConductorChoice, type DistributedStack } from '../distributed/stack.js';
import type { ClusterView, NodeView } from '../e2e/views.js';
import { checkHistory } from '../fault/check-history.js';
import { journalOf, readHistory } from '../fault/read-history.js';

export interface RingView {
  readonly key: string;
  readonly mode: 'group' | 'pinned';
  readonly pinnedBy: readonly string[];
  readonly services: readonly { readonly id: string; readonly release: string; readonly keyMode: string }[];
  readonly epoch: number;
}

export interface Lookup {
  readonly key: string;
  readonly conductorId: string | null;
  readonly claim?: { readonly conductor: string };
}

type Body = Readonly<Record<string, unknown>>;

const flavor = { cpus: 1, memoryMb: 512 };
/** Short times let the session of a silent process expire soon. */
const TIMES = { HEARTBEAT_MS: '300', SESSION_TIMEOUT_MS: '2000' };

/** The product in separate processes, with the queries that tests of the ring need. */
export class RingStack {
  readonly api: StaveClient;

  private constructor(
    readonly stack: DistributedStack,
    private readonly dataDir: string,
  ) {
    this.api = new StaveClient(stack.url, stack.adminKey);
  }

  static async start(conductors: readonly ConductorChoice[]): Promise<RingStack> {
    const dataDir = await mkdtemp(join(tmpdir(), 'stave-ring-'));
    return new RingStack(await startDistributed({ dataDir, conductors, env: TIMES }), dataDir);
  }

  async close(): Promise<void> {
    await this.stack.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Requests a cluster of worker groups; by default one group `w` of 2 nodes. */
  ask(body: Body = {}, groups: readonly Body[] = [{}]): Promise<StaveAnswer<ClusterView>> {
    const nodeGroups = groups.map(group => ({ name: 'w', role: 'worker', count: 2, flavor, ...group }));
    return this.api.post('/v1/clusters', { name: uniqueName('c'), driver: 'fake', nodeGroups, ...body });
  }

  rings(): Promise<readonly RingView[]> {
    return this.api.list('/v1/rings');
  }

  /** Waits until all rings have this mode and returns their keys. */
  async keysIn(mode: RingView['mode'], timeoutMs = 60_000): Promise<readonly string[]> {
    const rings = await eventually(
      async () => {
        const now = await this.rings();
        return now.length > 0 && now.every(ring => ring.mode === mode) ? now : undefined;
      },
      { timeoutMs, what: `rings in mode ${mode}` },
    );
    return rings.map(({ key }) => key);
  }

  lookup(resource: string): Promise<Lookup> {
    return this.api.read(`/v1/rings/lookup?resource=${resource}`);
  }

  nodes(clusterId: string): Promise<readonly NodeView[]> {
    return this.api.list(`/v1/clusters/${clusterId}/nodes?limit=500`);
  }

  /** Returns the conductors that changed units of each resource, from the journal of the fake cloud. */
  async workers(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const by = new Map<string, Set<string>>();
    for (const { effect, resourceId = '', caller } of await journalOf(this.stack.journalPath))
      if (effect !== undefined) by.set(resourceId, (by.get(resourceId) ?? new Set()).add(caller.conductor ?? ''));
    return by;
  }

  /** Returns the conductors that changed units of the cluster or of one of its nodes. */
  async workersOn(clusterId: string): Promise<readonly string[]> {
    const ids = [clusterId, ...(await this.nodes(clusterId)).map(({ id }) => id)];
    const workers = await this.workers();
    return [...new Set(ids.flatMap(id => [...(workers.get(id) ?? [])]))].sort();
  }

  /** Returns the nodes that are being built, and those whose build took some time and is done, from the journal. */
  async builds(): Promise<{ readonly done: readonly string[]; readonly building: readonly string[] }> {
    const building = new Set<string>();
    const done: string[] = [];
    for (const { kind, effect, resourceId = '', put } of await journalOf(this.stack.journalPath)) {
      if (kind !== 'node') continue;
      // a unit without latency is already running when it is created
      if (effect === 'created' && put?.[0]?.state !== 'running') building.add(resourceId);
      if (effect === 'finished' && building.delete(resourceId)) done.push(resourceId);
    }
    return { done, building: [...building] };
  }

  /** Throws unless events and journal keep all promises: no overlapping claims, no resource changed by two conductors, no second build. */
  async expectSound(): Promise<void> {
    expect(checkHistory(await readHistory(this.stack))).toEqual([]);
  }
}
