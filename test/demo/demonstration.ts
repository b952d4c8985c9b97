import { eventually } from '@stave/testing';
import type { ContainerResource, NodeResource, Operation, Resource } from './api-client.js';
import type { EventFeed } from './event-feed.js';
import type { Product } from './product.js';
import { printTable, screen, type Checks } from './screen.js';
import { swarmMembers } from './swarm.js';
import { busyCluster, busySet, ScalingAct } from './scaling-act.js';
import { isUnitOf, progressLine, placementReasons } from './format.js';
import type { WorkWatch } from './work-watch.js';

export interface DemonstrationParts {
  readonly product: Product;
  readonly feed: EventFeed;
  readonly watch: WorkWatch;
  readonly checks: Checks;
  readonly installation: string;
  readonly signal: AbortSignal;
}

const cluster = 'demo';
const groups = [
  { name: 'managers', role: 'manager', count: 1, flavor: { name: 'small', cpus: 0.5, memoryMb: 256 } },
  { name: 'workers', role: 'worker', count: 3, flavor: { name: 'medium', cpus: 1, memoryMb: 384 }, zones: ['a', 'b'] },
  {
    name: 'edge',
    role: 'worker',
    count: 2,
    flavor: { name: 'tiny', cpus: 0.4, memoryMb: 200 },
    conductorGroup: 'site-b',
  },
] as const;
const nodeCount = 6;

/** Runs the demonstration step by step. Throws when it cannot continue; a wrong result is only a failed check. */
export class Demonstration {
  constructor(private readonly parts: DemonstrationParts) {}

  async run(): Promise<void> {
    await this.build();
    await this.showNodes();
    await this.runContainers();
    await this.removeMiddleNode();
    await this.deleteAll(cluster, 'hello');
    await new ScalingAct(this.parts).run();
    await this.deleteAll(busyCluster, busySet);
  }

  private async build(): Promise<void> {
    const { api, infrastructure, siteConductor } = this.parts.product;
    screen.step(
      `One POST: cluster "${cluster}" with 1 manager, 3 workers in zones a and b, 2 edge nodes in conductor group site-b`,
    );
    const body = {
      name: cluster,
      driver: infrastructure.driver,
      options: infrastructure.clusterOptions,
      nodeGroups: groups,
    };
    const { operationId = '' } = await api.post<Resource>('/v1/clusters', body);
    const building = api.finished(operationId, progressLine());
    await Promise.race([this.killConductor(), building]);
    const operation = await building;
    this.expectDone(operation);
    const { takeovers } = this.parts.watch;
    this.parts.checks.expect(
      takeovers.length > 0,
      `work of the killed conductor was taken over (${takeovers.length} tasks)`,
    );
    this.parts.checks.expect(
      takeovers.every(({ to }) => to !== siteConductor),
      'only conductors of its own group took it over',
    );
  }

  /** Kills a conductor while it builds nodes. */
  private async killConductor(): Promise<void> {
    const { stave, defaultConductors } = this.parts.product;
    const { watch, signal } = this.parts;
    const busiest = (): string | undefined =>
      defaultConductors
        .filter(id => watch.busy(id, 400) > 0)
        .sort((a, b) => watch.runningOn(b).length - watch.runningOn(a).length)[0];
    const victim = await eventually(busiest, { timeoutMs: 120_000, what: 'a conductor that builds a node' });
    signal.throwIfAborted();
    const held = watch.runningOn(victim).map(id => watch.name(id));
    watch.markKilled(victim);
    stave.conductors.get(victim)?.kill();
    screen.line(`>>> KILLED ${victim}, which was building ${held.join(', ')}; its session ends within 8 s`);
  }

  private async showNodes(): Promise<void> {
    const { product, checks, installation } = this.parts;
    const nodes = await this.nodes();
    screen.step('The nodes');
    printTable(
      nodes.map(n => ({
        node: n.name,
        status: n.status,
        zone: n.zone ?? '-',
        flavor: `${n.flavor.name ?? ''} ${n.flavor.cpus} cpu ${n.flavor.memoryMb} MB`,
        'conductor group': n.conductorGroup === '' ? '(default)' : (n.conductorGroup ?? '-'),
        address: n.addresses.join(),
        attempts: n.attempts,
      })),
    );
    const units = await product.infrastructure.nodes(installation);
    screen.step(`The same nodes on the infrastructure: ${product.infrastructure.title}`);
    printTable(
      units.map(u => ({
        unit: u.name,
        node: this.parts.watch.name(u.nodeId),
        role: u.role,
        zone: u.zone,
        flavor: u.flavor,
        cpus: u.cpus,
        MB: u.memoryMb,
      })),
    );
    checks.expect(
      nodes.length === nodeCount && nodes.every(n => n.status === 'ACTIVE'),
      `${nodeCount} nodes are ACTIVE`,
    );
    checks.expect(
      units.length === nodeCount && new Set(units.map(u => u.nodeId)).size === nodeCount,
      `${nodeCount} units, one for each node`,
    );
    checks.expect(
      nodes.every(n => units.some(u => isUnitOf(u, n))),
      "every unit has its flavor's limits and its zone",
    );
    if (product.infrastructure.driver === 'swarm_docker') await this.showSwarm();
  }

  private async showSwarm(): Promise<void> {
    const members = await swarmMembers(this.parts.product.api, cluster);
    printTable(members);
    const ready = members.filter(m => m.state === 'ready').length;
    this.parts.checks.expect(
      ready === nodeCount,
      `${ready} of ${nodeCount} nodes are ready according to the manager of the Swarm`,
    );
  }

  private async runContainers(): Promise<void> {
    const { product, checks, watch } = this.parts;
    const { api } = product;
    screen.step('Four containers from one profile');
    await api.post('/v1/container-profiles', {
      name: 'hello',
      image: 'stave/busybox:1',
      command: ['sh', '-c', 'echo hello from $(hostname); exec sleep 3600'],
      resources: { cpus: 0.1, memoryMb: 32 },
      hostCluster: cluster,
    });
    for (const n of [1, 2, 3, 4]) {
      const { operationId = '' } = await api.post<Resource>('/v1/containers', { profile: 'hello', name: `hello-${n}` });
      const { status } = await api.finished(operationId);
      const container = await api.get<ContainerResource>(`/v1/containers/hello-${n}`);
      screen.line(
        `hello-${n} on ${watch.name(container.nodeId ?? '')}: ${placementReasons(container, id => watch.name(id))}`,
      );
      checks.expect(status === 'SUCCEEDED' && container.status === 'ACTIVE', `hello-${n} is ${container.status}`);
    }
    const { logs } = await api.get<{ readonly logs: string }>('/v1/containers/hello-1/logs?tail=1');
    screen.line(`log of hello-1: ${logs.trim()}`);
  }

  private async removeMiddleNode(): Promise<void> {
    const { product, checks, installation } = this.parts;
    const { api, infrastructure } = product;
    const before = await this.nodes();
    const unitsBefore = await infrastructure.nodes(installation);
    const middle = before.find(n => n.name === 'workers-1');
    if (!middle) throw new Error('the cluster has no node workers-1');
    screen.step(`Remove workers-1, the second of three`);
    const { operationId = '' } = await api.delete<Resource>(`/v1/nodes/${middle.id}`);
    this.expectDone(await api.finished(operationId));
    const after = await this.nodes();
    const units = await infrastructure.nodes(installation);
    screen.line(`remaining: ${after.map(n => n.name).join(', ')}`);
    checks.expect(after.length === nodeCount - 1 && !after.some(n => n.id === middle.id), 'only workers-1 was removed');
    const untouched = unitsBefore.filter(u => u.nodeId !== middle.id);
    checks.expect(
      JSON.stringify(untouched) === JSON.stringify(units) &&
        after.every(n =>
          before.some(b => b.id === n.id && b.name === n.name && b.infrastructureId === n.infrastructureId),
        ),
      'the other nodes were not changed: same names, same units, never restarted',
    );
    await this.showMovedContainers(middle.id);
  }

  private async showMovedContainers(removed: string): Promise<void> {
    const { product, checks, watch } = this.parts;
    const list = () => product.api.list<ContainerResource>('/v1/containers?sort=name');
    const settled = await eventually(
      async () => {
        const containers = await list();
        return containers.every(c => c.status === 'ACTIVE' && c.nodeId !== removed) && containers;
      },
      { timeoutMs: 30_000, what: 'containers to run elsewhere' },
    ).catch(list);
    screen.line(
      `containers: ${settled.map(c => `${c.name} ${c.status} on ${watch.name(c.nodeId ?? '-')}`).join(', ')}`,
    );
    checks.expect(
      settled.length === 4 && settled.every(c => c.status === 'ACTIVE' && c.nodeId !== removed),
      'all four containers run on existing nodes',
    );
  }

  private async deleteAll(name: string, profile: string): Promise<void> {
    const { product, checks, installation } = this.parts;
    const { api, infrastructure } = product;
    screen.step('Delete the cluster with everything in it');
    const { operationId = '' } = await api.delete<Resource>(`/v1/clusters/${name}`);
    this.expectDone(await api.finished(operationId, progressLine()));
    await api.delete(`/v1/container-profiles/${profile}`);
    const lists = await Promise.all(
      ['clusters', 'node-groups', 'nodes', 'container-sets', 'containers'].map(of => api.list(`/v1/${of}`)),
    );
    checks.expect(
      lists.every(items => items.length === 0),
      'Stave lists no cluster, group, node, set or container',
    );
    const left = await infrastructure.leftovers(installation);
    checks.expect(
      left.length === 0,
      `${infrastructure.title} holds nothing of this installation${left.length > 0 ? `: ${left.join(', ')}` : ''}`,
    );
  }

  private nodes(): Promise<readonly NodeResource[]> {
    return this.parts.product.api.list<NodeResource>(`/v1/nodes?sort=name`);
  }

  private expectDone({ kind, status, error }: Operation): void {
    this.parts.checks.expect(
      status === 'SUCCEEDED',
      `${kind}: ${status}${error == null ? '' : ` ${JSON.stringify(error)}`}`,
    );
  }
}
