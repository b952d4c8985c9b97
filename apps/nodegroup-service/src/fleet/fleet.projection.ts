import { Injectable } from '@nestjs/common';
import {
  clusterGroupsStream,
  clusterStream,
  getOrCreate,
  machineStream,
  isGrowing,
  nodeGroupStream,
  nodeGroupTemplateStream,
  nodeStream,
  type ClusterState,
  type NodeGroupSpec,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import {
  HeldVolumes,
  modelsOf,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
  type StreamRef,
} from '@stave/service-kit';
import { AwaitedGroups } from './awaited-groups.js';
import { Evictions, eventsOfEvictions } from './evictions.js';
import { attributesOf, fleetRetentions } from './fleet.retentions.js';
import { ManagerStages, type ManagerStage } from './manager-stages.js';
import { eventsAffectingChildren, eventsOfExistence, eventsWithoutEffectOnGroup } from './fleet-events.js';
import { followMachine, MachinePool } from './machine-pool.js';
import { NodePhases } from './node-phases.js';
import { ScaleProposals } from './scale-proposals.js';

const streams = {
  groups: nodeGroupStream,
  nodes: nodeStream,
  machines: machineStream,
  registry: clusterGroupsStream,
  clusters: clusterStream,
  /** Sources of new node groups. */
  groupTemplates: nodeGroupTemplateStream,
};

/** Node groups and nodes, with what their documents and decisions depend on in the streams of clusters, templates and placement. */
@Injectable()
export class FleetProjection extends modelsOf(streams) implements Projection {
  readonly evictions = new Evictions();
  readonly heldVolumes = new HeldVolumes();
  readonly proposals = new ScaleProposals();
  readonly machinePool = new MachinePool();
  private readonly byCluster = new Map<string, Set<string>>();
  private readonly phases = new NodePhases();
  /** By the resource whose change it is: position of the last event that changed documents of other resources. */
  private readonly changedAt = new Map<string, number>();
  readonly managerStages = new ManagerStages();
  private readonly awaited = new AwaitedGroups();

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('cluster', event => this.onCluster(event, changed));
    feed.on('nodeGroupTemplate', event => void this.groupTemplates.apply(event));
    feed.on('clusterGroups', event => {
      this.registry.apply(event);
      changed('cluster', idOf(event), event);
    });
    feed.on('nodeGroup', event => this.onNodeGroup(event, changed));
    feed.on('node', event => this.onNode(event, changed));
    feed.on('machine', event => followMachine(this, event, changed));
    feed.on('placement', event => this.onPlacement(event, changed));
    feed.on('volume', event => this.onVolume(event, changed));
  }

  retentions(): readonly Retention[] {
    const { evictions, proposals, changedAt, managerStages, awaited, machinePool } = this;
    return fleetRetentions(this, { evictions, proposals, changedAt, managerStages, awaited, machinePool });
  }

  groupsOf(clusterId: string): readonly string[] {
    return [...(this.byCluster.get(clusterId) ?? [])];
  }

  /** Returns the clusters that were accepted with a node group of this id or name which does not exist yet, unless they are being deleted. */
  awaiting(ref: string): readonly ClusterState[] {
    return this.awaited.clustersWith(ref, id => this.clusters.get(id));
  }

  /** Returns how many nodes of the group are ready. */
  readyIn(groupId: string): number {
    return this.phases.readyIn(groupId);
  }

  /** Whether the group waits for nothing but the first builds of its nodes. Takes the same time whatever the size of the group. */
  isGrowing(groupId: string): boolean {
    const group = this.groups.get(groupId);
    const building = this.phases.buildingIn(groupId);
    if (!group || building === 0 || this.readyIn(groupId) + building !== group.members.size) return false;
    return getOrCreate(growing, group, () => isGrowing(group));
  }

  /** Returns the position of the last event that changed the document of a node group: of the group, its nodes or its cluster. */
  groupPosition(id: string): number {
    const entry = this.groups.entry(id);
    const own = Math.max(entry?.position ?? -1, this.changedAt.get(id) ?? -1);
    const group = entry?.state;
    return group && !group.deleted ? Math.max(own, this.changedAt.get(group.declared.clusterId) ?? -1) : own;
  }

  /** Returns the position of the last event that changed the document of a node: of the node and, until it is deleted, of its group or cluster. */
  nodePosition(id: string): number {
    const { state, position = -1 } = this.nodes.entry(id) ?? {};
    if (!state || state.deleted) return position;
    const { clusterId, nodeGroupId } = state.declared;
    const ofGroup = this.changedAt.get(attributesOf(nodeGroupId)) ?? -1;
    return Math.max(position, ofGroup, this.changedAt.get(clusterId) ?? -1);
  }

  /** Returns the streams beside its own that the document of a node group depends on: of its cluster, and of its nodes, which are counted. */
  *relatedToGroup(id: string): Iterable<StreamRef> {
    const group = this.groups.get(id);
    if (!group) return;
    yield ['cluster', group.declared.clusterId];
    for (const nodeId of group.members.keys()) yield ['node', nodeId];
  }

  /** Returns the streams beside its own that the document of a node depends on. */
  *relatedToNode(id: string): Iterable<StreamRef> {
    const declared = this.nodes.get(id)?.declared;
    if (!declared) return;
    yield ['nodeGroup', declared.nodeGroupId];
    yield ['cluster', declared.clusterId];
  }

  private onCluster(event: RecordedEvent, changed: ResourceChanged): void {
    const id = idOf(event);
    this.clusters.apply(event);
    const cluster = this.clusters.get(id);
    if (cluster && eventsOfExistence.has(event.type)) this.awaited.note(cluster, group => !!this.groups.entry(group));
    changed('cluster', id, event);
    if (event.type === 'ClusterCreated') this.updateManagerStage(id, event, changed);
    const affectsDocuments = eventsAffectingChildren.has(event.type);
    if (affectsDocuments) this.noteChange(id, event.position);
    if (!affectsDocuments && event.type !== 'TaskCompleted') return;
    for (const groupId of this.groupsOf(id)) {
      changed('node-group', groupId, event);
      this.reportNodes(groupId, event, changed);
    }
  }

  private onNodeGroup(event: RecordedEvent, changed: ResourceChanged): void {
    const id = idOf(event);
    this.groups.apply(event);
    this.awaited.noteCreated(id);
    this.indexGroup(id);
    if (event.type === 'NodeGroupUpdated') this.noteChange(attributesOf(id), event.position);
    changed('node-group', id, event);
    if (event.type === 'NodeGroupUpdated') this.reportNodes(id, event, changed);
    const group = this.groups.get(id);
    if (!group) return;
    const { clusterId } = group.declared;
    if (group.spec.role === 'manager') this.updateManagerStage(clusterId, event, changed);
    const concernsCluster = event.type === 'NodeGroupDeleted' || event.type === 'NodeGroupDegraded';
    if (concernsCluster || this.clusters.get(clusterId)?.rollout) changed('cluster', clusterId, event);
  }

  private onNode(event: RecordedEvent, changed: ResourceChanged): void {
    const id = idOf(event);
    this.nodes.apply(event);
    const node = this.nodes.get(id);
    const isCountChanged = this.countNode(id, node, event.position);
    const declared = node?.declared;
    const machineId = this.machinePool.noteNode(id, node);
    if (machineId !== undefined) changed('machine', machineId, event);
    changed('node', id, event);
    if (!declared) return;
    if (declared.spec.role === 'manager') this.updateManagerStage(declared.clusterId, event, changed);
    if (isCountChanged || !eventsWithoutEffectOnGroup.has(event.type))
      changed('node-group', declared.nodeGroupId, event);
  }

  private onPlacement(event: RecordedEvent, changed: ResourceChanged): void {
    const proposedTo = this.proposals.note(event);
    if (proposedTo !== undefined) return changed('node-group', proposedTo, event);
    const { nodeId } = event.data as { readonly nodeId?: string };
    const ofCluster = event.type === 'ClusterContainersRemoved' ? idOf(event) : undefined;
    const isKnown = ofCluster === undefined ? this.nodes.entry(nodeId ?? '') : this.clusters.entry(ofCluster);
    if (!isKnown) return;
    this.evictions.note(event);
    if (nodeId !== undefined && eventsOfEvictions.has(event.type)) changed('node', nodeId, event);
    for (const groupId of ofCluster === undefined ? [] : this.groupsOf(ofCluster))
      this.reportNodes(groupId, event, changed);
  }

  /** A node that was kept for its data may go now, or must stay. */
  private onVolume(event: RecordedEvent, changed: ResourceChanged): void {
    const node = this.nodes.get(this.heldVolumes.note(event) ?? '');
    if (node) changed('node-group', node.declared.nodeGroupId, event);
  }

  private reportNodes(groupId: string, event: RecordedEvent, changed: ResourceChanged): void {
    for (const nodeId of this.groups.get(groupId)?.members.keys() ?? []) changed('node', nodeId, event);
  }

  /** Tasks of workers may wait for a manager: the nodes of the cluster are reported when what they wait for changes. */
  private updateManagerStage(clusterId: string, event: RecordedEvent, changed: ResourceChanged): void {
    if (!this.managerStages.note(clusterId, this.managerStage(clusterId))) return;
    for (const groupId of this.groupsOf(clusterId)) this.reportNodes(groupId, event, changed);
  }

  private managerStage(clusterId: string): ManagerStage | undefined {
    const requested = this.clusters.get(clusterId)?.created.groups ?? [];
    const isAwaited = requested.some(({ id, spec }) => hasManagers(spec) && !this.groups.get(id));
    const managers = this.groupsOf(clusterId).filter(id => {
      const group = this.groups.get(id);
      return group !== undefined && hasManagers(group.spec) && !group.deleting;
    });
    const hasReady = managers.some(id => this.readyIn(id) > 0);
    if (hasReady || (managers.length === 0 && !isAwaited)) return undefined;
    return managers.some(id => this.phases.startingIn(id) > 0) ? 'starting' : 'absent';
  }

  private indexGroup(id: string): void {
    const group = this.groups.get(id);
    if (!group) return;
    const { clusterId } = group.declared;
    const ids = getOrCreate(this.byCluster, clusterId, () => new Set<string>());
    if (group.deleted) ids.delete(id);
    else ids.add(id);
    if (ids.size === 0) this.byCluster.delete(clusterId);
  }

  /** Returns whether the number of ready nodes of the group changed. */
  private countNode(id: string, node: NodeState | undefined, position: number): boolean {
    if (!node || !this.phases.note(id, node)) return false;
    this.noteChange(node.declared.nodeGroupId, Math.max(position, this.nodes.entry(id)?.position ?? -1));
    return true;
  }

  private noteChange(id: string, position: number): void {
    this.changedAt.set(id, Math.max(position, this.changedAt.get(id) ?? -1));
  }
}

/** Determined once for each state of a group. */
const growing = new WeakMap<NodeGroupState, boolean>();
const hasManagers = ({ role, count }: NodeGroupSpec): boolean => role === 'manager' && count > 0;
