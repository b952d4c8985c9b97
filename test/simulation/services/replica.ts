import { nodeEvictionReason, nodeDrained } from '@stave/domain';
import type { Network } from '../kernel/network.js';
import { Process } from '../kernel/process.js';
import type { Simulator } from '../kernel/simulator.js';
import type { EventLog } from '../world/event-log.js';
import type { Mutation } from '../world/mutation.js';
import { ClusterReconciler } from './cluster-reconciler.js';
import { NodeGroupReconciler } from './group-reconciler.js';
import { Models } from './models.js';
import { Registrar } from './registrar.js';
import { SessionKeeper } from './session-keeper.js';
import { TaskClaims } from './task-desk.js';

export interface ReplicaHarness {
  readonly sim: Simulator;
  readonly network: Network;
  readonly log: EventLog;
  readonly freshId: () => string;
  readonly mutation?: Mutation;
}

/** One replica of the services. Every replica reconciles, so that two always do. */
export class Replica {
  readonly process: Process;
  models!: Models;
  desk!: TaskClaims;
  registrar!: Registrar;
  keeper!: SessionKeeper;
  private clusters!: ClusterReconciler;
  private groups!: NodeGroupReconciler;
  private dirty = new Map<string, () => void>();
  private fetching = false;
  private settling = false;

  constructor(
    name: string,
    private readonly world: ReplicaHarness,
  ) {
    this.process = new Process(name, world.sim, () => this.boot());
    world.log.onAppend(() => this.fetchSoon());
  }

  private boot(): void {
    const { network, log, sim, mutation, freshId } = this.world;
    this.models = new Models(this.process, network, log);
    this.desk = new TaskClaims(sim, this.models, mutation);
    this.registrar = new Registrar(this.process, network, log, this.models, mutation);
    this.keeper = new SessionKeeper(this.process, this.models, this.registrar, mutation);
    this.clusters = new ClusterReconciler(this.models);
    this.groups = new NodeGroupReconciler(this.models, freshId);
    this.dirty = new Map();
    this.fetching = false;
    this.settling = false;
    this.fetchSoon();
    this.keeper.start();
    this.everyFewSeconds();
  }

  private everyFewSeconds(): void {
    for (const id of this.models.clusters.entries.keys()) this.mark('cluster', id);
    for (const id of this.models.groups.entries.keys()) this.mark('nodeGroup', id);
    for (const id of this.models.nodes.entries.keys()) this.mark('node', id);
    this.process.after(5_000, () => this.everyFewSeconds());
  }

  /** The feed: in order, but as late as it likes. */
  private fetchSoon(): void {
    if (this.fetching || !this.process.up) return;
    this.fetching = true;
    const { random, faults, profile } = this.world.sim;
    const delay = faults && random.chance(profile.slowFeed) ? random.within(profile.slowFeedMs) : random.int(1, 30);
    this.process.after(delay, () => {
      this.fetching = false;
      this.models.catchUp((category, id) => this.mark(category, id));
    });
  }

  private mark(category: string, id: string): void {
    const { models } = this;
    if (category === 'cluster' || category === 'node') this.desk.update({ type: category, id });
    if (category === 'cluster' || category === 'clusterGroups')
      this.dirty.set(`cluster-${id}`, () => this.clusters.reconcile(id));
    else if (category === 'nodeGroup') this.markGroup(id);
    else if (category === 'node') {
      this.dirty.set(`drain-${id}`, () => this.drained(id));
      this.markGroup(models.nodes.get(id)?.declared?.nodeGroupId);
    }
    if (this.dirty.size > 0) this.settleSoon();
  }

  private markGroup(id: string | undefined): void {
    if (id === undefined) return;
    this.dirty.set(`group-${id}`, () => this.groups.reconcile(id));
    const clusterId = this.models.groups.get(id)?.declared?.clusterId;
    if (clusterId !== undefined) this.dirty.set(`cluster-${clusterId}`, () => this.clusters.reconcile(clusterId));
  }

  private settleSoon(): void {
    if (this.settling) return;
    this.settling = true;
    this.process.after(this.world.sim.random.int(5, 60), () => {
      const todo = [...this.dirty.values()];
      this.dirty = new Map();
      this.settling = false;
      for (const run of todo) run();
    });
  }

  /** The scheduler's part: no container is ever on these nodes. */
  private drained(id: string): void {
    const node = this.models.nodes.get(id);
    if (node && nodeEvictionReason(node) !== undefined) this.models.nodes.execute(id, nodeDrained);
  }
}
