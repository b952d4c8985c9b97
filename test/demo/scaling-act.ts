import { eventually } from '@stave/testing';
import type { ContainerResource, NodeResource, Resource } from './api-client.js';
import type { DemonstrationParts } from './demonstration.js';
import type { FeedEvent } from './event-feed.js';
import { progressLine } from './format.js';
import { screen } from './screen.js';
import { workLoadOn, type WorkLoad } from './work-load.js';

export const busyCluster = 'busy';
/** The name of the set and of its profile. */
export const busySet = 'web';
const [cluster, set] = [busyCluster, busySet];
/** CPUs of one member, of which half should be used. */
const LIMIT = 0.2;
const TARGET = 0.5;
/** CPUs of the work when it is much: more members than one node has room for. */
const MUCH = 0.35;
const STEP_MS = 150_000;

const groups = [
  { name: 'managers', role: 'manager', count: 1, flavor: { name: 'small', cpus: 0.5, memoryMb: 256 } },
  {
    name: 'pool',
    role: 'worker',
    count: 1,
    minCount: 1,
    maxCount: 3,
    flavor: { name: 'small', cpus: 0.5, memoryMb: 256 },
    labels: { pool: 'web' },
    autoscaling: { enabled: true, idleSeconds: 8, idleThreshold: 0.6, delayAfterGrowSeconds: 15 },
  },
];
const autoscaling = {
  enabled: true,
  metrics: [{ resource: 'cpu', target: TARGET }],
  windowSeconds: 6,
  intervalSeconds: 2,
  warmUpSeconds: 2,
  scaleIn: { stabilisationSeconds: 12 },
};

interface SetResource extends Resource {
  readonly desired: number;
  readonly counts: { readonly available: number; readonly total: number };
}

interface Sizes {
  readonly desired: number;
  readonly available: number;
  readonly nodes: number;
}

/** The second act: load rises, a set grows, a node is added; load falls, and all shrinks. */
export class ScalingAct {
  constructor(private readonly parts: DemonstrationParts) {}

  async run(): Promise<void> {
    const { api, infrastructure } = this.parts.product;
    const load = workLoadOn(infrastructure, api, set, cluster);
    const unwatch = this.parts.feed.on(event => this.show(event));
    try {
      await this.build(load);
      await this.rise(load);
      await this.fall(load);
    } finally {
      unwatch();
      await load.close();
    }
  }

  private async build(load: WorkLoad): Promise<void> {
    const { api, infrastructure } = this.parts.product;
    screen.step(
      `Second act: cluster "${cluster}" with a pool of 1 to 3 nodes, and a set of 1 to 5 members that follows its load`,
    );
    const options = { ...infrastructure.clusterOptions, ...load.clusterOptions };
    const body = { name: cluster, driver: infrastructure.driver, options, nodeGroups: groups };
    const { operationId = '' } = await api.post<Resource>('/v1/clusters', body);
    this.expectSucceeded(await api.finished(operationId, progressLine()));
    const profile = {
      name: set,
      image: 'stave/busybox:1',
      resources: { cpus: LIMIT, memoryMb: 32 },
      nodeSelector: { pool: 'web' },
      hostCluster: cluster,
      ...load.contents,
    };
    await api.post('/v1/container-profiles', profile);
    const wanted = { name: set, profile: set, desired: 1, min: 1, max: 5, autoscaling };
    const made = await api.post<Resource>('/v1/container-sets', wanted);
    this.expectSucceeded(await api.finished(made.operationId ?? ''));
  }

  private async rise(load: WorkLoad): Promise<void> {
    screen.step(`Load rises: ${MUCH} CPUs of work, where a member of ${LIMIT} should use ${LIMIT * TARGET}`);
    await load.set(MUCH);
    const grown = await this.until(({ available, nodes }) => available >= 3 && nodes >= 2, 'more members and nodes');
    this.parts.checks.expect(grown.available >= 3, `the set has grown to ${grown.available} available members`);
    this.parts.checks.expect(grown.nodes >= 2, `a node was added for them: the pool has ${grown.nodes}`);
    await this.showPlaces();
  }

  private async fall(load: WorkLoad): Promise<void> {
    screen.step('Load falls to nothing');
    await load.set(0);
    const one = await this.until(
      ({ desired, available, nodes }) => desired === 1 && available === 1 && nodes === 1,
      'one of each',
    );
    this.parts.checks.expect(one.desired === 1 && one.available === 1, `the set has ${one.available} member again`);
    this.parts.checks.expect(one.nodes === 1, `the pool has ${one.nodes} node again`);
    await this.showPlaces();
  }

  /** Waits for these sizes; after a while the present ones are returned, and the checks fail. */
  private async until(fits: (sizes: Sizes) => boolean, what: string): Promise<Sizes> {
    const fitting = async (): Promise<Sizes | undefined> => {
      this.parts.signal.throwIfAborted();
      const sizes = await this.sizes();
      return fits(sizes) ? sizes : undefined;
    };
    return eventually(fitting, { timeoutMs: STEP_MS, everyMs: 500, what }).catch(() => this.sizes());
  }

  private async sizes(): Promise<Sizes> {
    const { api } = this.parts.product;
    const { desired, counts } = await api.get<SetResource>(`/v1/container-sets/${set}`);
    return { desired, available: counts.available, nodes: (await this.pool()).length };
  }

  private async pool(): Promise<readonly NodeResource[]> {
    const nodes = await this.parts.product.api.list<NodeResource>(`/v1/clusters/${cluster}/nodes?sort=name`);
    return nodes.filter(({ role }) => role === 'worker');
  }

  private async showPlaces(): Promise<void> {
    const members = await this.parts.product.api.list<ContainerResource>(`/v1/containers?setId=${set}&sort=name`);
    const on = (id: string): string =>
      members
        .filter(({ nodeId }) => nodeId === id)
        .map(({ name }) => name)
        .join(', ') || 'no member';
    for (const { id, name, status } of await this.pool()) screen.line(`${name} ${status}: ${on(id)}`);
  }

  /** Prints what the autoscalers decide. */
  private show({ type, data }: FeedEvent): void {
    const lines: Readonly<Record<string, string>> = {
      'stave.containerSet.resized.v1': `the set follows its load; desired members: ${String(data['desired'])}`,
      'stave.nodeGroup.resized.v1': `the pool follows what waits; nodes: ${String(data['count'])}`,
      'stave.nodeGroup.nodeRemovalAccepted.v1': `the pool loses a node that nothing needs; nodes: ${String(data['count'])}`,
      'stave.container.unschedulable.v1': `a member waits: ${String(data['reason'])}`,
    };
    const line = lines[type];
    if (line !== undefined) screen.line(line);
  }

  private expectSucceeded({ kind, status, error }: { kind: string; status: string; error?: unknown }): void {
    this.parts.checks.expect(
      status === 'SUCCEEDED',
      `${kind}: ${status}${error == null ? '' : ` ${JSON.stringify(error)}`}`,
    );
  }
}
