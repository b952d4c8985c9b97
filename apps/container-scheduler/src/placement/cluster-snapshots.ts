import { Injectable } from '@nestjs/common';
import { getOrCreate, NodeTable, type NodeView, type PolicyRules } from '@stave/domain';
import { PolicyProjection } from '@stave/service-kit';
import { isRuled, rulesIn } from '../policies/placement-policy.js';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import type { ClusterChanges } from '../scheduling/snapshot-changes.js';
import { HeldByContainers } from './held-by-containers.js';
import { groupViewOf, nodeViewOf, type GroupView } from './node-view.js';

/** What placement knows of a cluster. It is kept, and brought up to date before each use by what changed since. */
export class ClusterSnapshot {
  readonly table = new NodeTable();
  private readonly held: HeldByContainers;
  private readonly groups = new Map<string, GroupView>();
  private readonly rules = new Map<string | undefined, PolicyRules>();
  private policies = -1;
  private ruled = false;

  constructor(
    private readonly clusterId: string,
    private readonly changes: ClusterChanges,
    private readonly owner: ClusterSnapshots,
  ) {
    const { projection } = owner;
    this.table.usedOn = (id, windowSeconds) => projection.nodeUses.of(id, windowSeconds);
    this.held = new HeldByContainers(projection, clusterId, setId => this.rulesOf(setId));
    for (const id of projection.nodesByCluster.in(clusterId)) changes.node(id);
    for (const id of projection.placement.get(clusterId).ledger.reservations.keys()) changes.container(id);
  }

  /** Whether policies of placement or affinity have a say in the cluster, or rules that containers have themselves. */
  get isRuled(): boolean {
    return this.ruled || this.owner.projection.ruledByCluster.sizeOf(this.clusterId) > 0;
  }

  /** Returns what policies say of where the containers of a set, or of none, are placed. */
  rulesOf(setId: string | undefined): PolicyRules {
    return getOrCreate(this.rules, setId, () => rulesIn(this.owner.policies, this.clusterId, setId));
  }

  update(): this {
    const { projection } = this.owner;
    projection.refusedPlugins.expire(Date.now());
    const { nodes, containers, sets } = this.changes.take();
    const outdated = new Set(nodes);
    for (const id of this.changedGroups()) for (const node of this.nodesOf(id)) outdated.add(node);
    const held = new Set(containers);
    for (const id of sets) for (const member of projection.sets.get(id)?.members.keys() ?? []) held.add(member);
    if (this.takePolicies()) for (const id of this.held.all()) held.add(id);
    for (const id of held) for (const node of this.held.update(id)) outdated.add(node);
    for (const id of outdated) this.write(id);
    return this;
  }

  private write(id: string): void {
    const { projection } = this.owner;
    const node = projection.nodes.get(id);
    if (!node || node.deleted || node.declared.clusterId !== this.clusterId) return this.table.delete(id);
    const { ledger } = projection.placement.get(this.clusterId);
    const group = this.groupOf(node.declared.nodeGroupId);
    const view: NodeView = nodeViewOf(node, group, ledger, projection);
    this.table.set({ ...view, ...this.held.on(id) });
  }

  private groupOf(id: string): GroupView {
    return getOrCreate(this.groups, id, () => this.owner.groupView(this.clusterId, id));
  }

  /** Compares the groups, since the drivers of their nodes follow from conductors too. The cost is that of the groups. */
  private *changedGroups(): Iterable<string> {
    for (const [id, before] of this.groups) {
      const after = this.owner.groupView(this.clusterId, id);
      if (JSON.stringify(after) === JSON.stringify(before)) continue;
      this.groups.set(id, after);
      yield id;
    }
  }

  private nodesOf(groupId: string): Iterable<string> {
    return this.owner.projection.groups.get(groupId)?.members.keys() ?? [];
  }

  /** Returns whether other policies apply than before: then what each container is to others may have changed. */
  private takePolicies(): boolean {
    const { policies, projection } = this.owner;
    if (policies.version === this.policies) return false;
    this.policies = policies.version;
    this.rules.clear();
    const was = this.ruled;
    this.ruled = isRuled(projection, policies, this.clusterId);
    return was || this.ruled;
  }
}

/** The snapshots of the clusters in which containers are placed. */
@Injectable()
export class ClusterSnapshots {
  // a snapshot goes with the changes of its cluster
  private readonly snapshots = new WeakMap<ClusterChanges, ClusterSnapshot>();

  constructor(
    readonly projection: SchedulerProjection,
    readonly policies: PolicyProjection,
    private readonly drivers: ClusterDrivers,
  ) {}

  /** Returns the snapshot as the cluster is now. */
  of(clusterId: string): ClusterSnapshot {
    const changes = this.projection.changes.watch(clusterId);
    const known = this.snapshots.get(changes) ?? new ClusterSnapshot(clusterId, changes, this);
    this.snapshots.set(changes, known);
    return known.update();
  }

  groupView(clusterId: string, groupId: string): GroupView {
    return groupViewOf(this.projection, this.drivers, clusterId, groupId);
  }
}
