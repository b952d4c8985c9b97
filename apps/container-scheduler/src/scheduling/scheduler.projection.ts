import { Inject, Injectable } from '@nestjs/common';
import {
  clusterStream,
  containerProfileStream,
  containerSetStream,
  containerStream,
  networkStream,
  nodeGroupStream,
  nodeStream,
  projectStream,
  volumeStream,
} from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import {
  EVENT_STORE,
  modelsOf,
  retention,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
} from '@stave/service-kit';
import {
  eventsAffectingPlacement,
  eventsAffectingSets,
  affectsTasks,
  eventsOfScaling,
  isForced,
  leavingOf,
} from './consequential-events.js';
import { EngineReservations } from '../telemetry/engine-reservations.js';
import { NodeUses } from '../telemetry/node-uses.js';
import { ContainerUsages } from '../telemetry/container-usages.js';
import { ShortWindows } from '../telemetry/short-windows.js';
import { isRunning, setDemandsOf } from '../telemetry/set-demands.js';
import { attachmentRetentions, onAttachment, onPlacement, isTaskEvent } from './attachment-events.js';
import { AttachmentNames } from './attachment-names.js';
import { ClusterPlacements } from './cluster-placements.js';
import { noteGroupUpdate, noteLeavingNodes } from './group-updates.js';
import { groupContainer } from './group-container.js';
import { GroupedIds } from './grouped-ids.js';
import { RefusedPlugins } from './refused-plugins.js';
import { SetPhases } from './set-phases.js';
import { noteMembers, SnapshotChanges } from './snapshot-changes.js';

const streams = {
  profiles: containerProfileStream,
  containers: containerStream,
  sets: containerSetStream,
  nodes: nodeStream,
  groups: nodeGroupStream,
  clusters: clusterStream,
  projects: projectStream,
  networks: networkStream,
  volumes: volumeStream,
};

/** Profiles, containers and reservations, with what placement depends on in the streams of clusters, node groups and nodes. */
@Injectable()
export class SchedulerProjection extends modelsOf(streams) implements Projection {
  readonly placement: ClusterPlacements;
  /** Containers that are not deleted, by cluster. */
  readonly containersByCluster = new GroupedIds();
  /** Containers with rules of spread or affinity of their own, by cluster. */
  readonly ruledByCluster = new GroupedIds();
  /** Containers that wait for a node, by cluster. */
  readonly pendingByCluster = new GroupedIds();
  /** Those of them that no node takes, which say what would place them. */
  readonly refusedByCluster = new GroupedIds();
  readonly containersByNode = new GroupedIds();
  /** Containers whose loss is suspected, by cluster. */
  readonly suspectsByCluster = new GroupedIds();
  /** Sets that are not deleted, by cluster. */
  readonly setsByCluster = new GroupedIds();
  readonly setPhases = new SetPhases();
  /** Members that run, by set. */
  readonly runningBySet = new GroupedIds();
  readonly nodesByCluster = new GroupedIds();
  readonly groupsByCluster = new GroupedIds();
  readonly attachmentNames = new AttachmentNames();
  /** Networks and volumes that are not deleted, by cluster. */
  readonly attachmentsByCluster = new GroupedIds();
  /** Containers whose reservation may differ from them, by cluster: one of both changed and they were not compared since. */
  readonly changedReservations = new GroupedIds();
  /** Nodes that may have to be closed, opened or emptied, by cluster: those that changed and were not reconciled since. */
  readonly pendingNodes = new GroupedIds();
  /** Telemetry is in no event. What is pending does not follow from events; a reconciler that starts checks all nodes. */
  override readonly unfolded = [
    ...['pendingNodes', 'changedReservations', 'usages', 'nodeUses', 'engineReservations', 'demands'],
    ...['shortWindows', 'changes'],
  ];
  /** What the snapshots of clusters have to take in. */
  readonly changes = new SnapshotChanges();
  readonly usages = new ContainerUsages(id => this.containers.get(id)?.deleted === false);
  readonly nodeUses = new NodeUses(this.nodes);
  readonly engineReservations = new EngineReservations(this.nodes, this.changes);
  /** What conductors have to sample for more often than usual. */
  readonly shortWindows = new ShortWindows();
  readonly demands = setDemandsOf(this);
  /** What nodes lacked lately. */
  readonly refusedPlugins = new RefusedPlugins(this.nodes, this.changes);

  constructor(@Inject(EVENT_STORE) store: EventStore) {
    super(store);
    this.placement = new ClusterPlacements(store, this.changes);
  }

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('project', event => this.projects.apply(event));
    feed.on('placement', event => onPlacement(this, event, changed));
    feed.on('network', event => onAttachment(this, 'network', event, changed));
    feed.on('volume', event => onAttachment(this, 'volume', event, changed));
    feed.on('containerProfile', event => {
      this.profiles.apply(event);
      changed('container-profile', idOf(event), event);
    });
    feed.on('container', event => this.onContainer(event, changed));
    feed.on('containerSet', event => {
      const [id, before] = [idOf(event), this.sets.get(idOf(event))];
      this.sets.apply(event);
      changed('container-set', id, event);
      const set = this.sets.get(id);
      if (set) noteMembers(this.changes.in(set.declared.clusterId), event, set, before);
      this.setsByCluster.put(id, set?.deleted === false ? set.declared.clusterId : undefined);
      // the deletion of a cluster waits for its sets
      if (event.type === 'ContainerSetDeleted' && set) changed('cluster', set.declared.clusterId, event);
    });
    feed.on('nodeGroup', event => {
      this.groups.apply(event);
      const group = this.groups.get(idOf(event));
      const clusterId = group?.declared.clusterId;
      this.groupsByCluster.put(idOf(event), group?.deleted ? undefined : clusterId);
      if (clusterId !== undefined && isForced(event)) this.reportSets(clusterId, event, changed);
      if (clusterId === undefined) return;
      const isDecided = noteLeavingNodes(this, clusterId, event);
      if (isDecided || eventsOfScaling.has(event.type)) changed('cluster', clusterId, event);
      if (event.type !== 'NodeGroupUpdated') return;
      noteGroupUpdate(this, clusterId, { event, changed });
      this.reportContainers(clusterId, event, changed);
    });
    feed.on('node', event => {
      const [id, before] = [idOf(event), leavingOf(this.nodes.get(idOf(event)))];
      this.nodes.apply(event);
      if (this.nodes.get(id)?.deleted) this.nodeUses.forget(id);
      if (leavingOf(this.nodes.get(id)) !== before) this.reportSetsOn(id, event, changed);
      const clusterId = this.nodes.get(id)?.declared.clusterId;
      this.nodesByCluster.put(id, clusterId);
      if (clusterId === undefined) return;
      this.changes.in(clusterId)?.node(id);
      if (isTaskEvent(event)) return;
      this.pendingNodes.put(id, clusterId);
      changed('cluster', clusterId, event);
      const bound = this.placement.known(clusterId)?.ledger.lent.boundOn.get(id);
      for (const volumeId of bound ?? []) changed('volume', volumeId, event);
    });
    feed.on('cluster', event => {
      const [id, before] = [idOf(event), this.clusters.get(idOf(event))];
      this.clusters.apply(event);
      if (isTaskEvent(event)) return;
      changed('cluster', id, event);
      if (eventsAffectingSets.has(event.type)) this.reportSets(id, event, changed);
      if (affectsTasks(event, before, this.clusters.get(id))) this.reportContainers(id, event, changed);
    });
  }

  retentions(): readonly Retention[] {
    const { containers, nodes, groups, clusters, profiles, projects, placement } = this;
    return [
      retention(containers, {
        isDone: (id, container) =>
          !placement.known(container?.declared.clusterId ?? '')?.ledger.reservations.has(id) &&
          !this.sets.get(container?.declared.setId ?? '')?.members.has(id),
        forget: id => {
          this.setPhases.forget(id);
          this.changedReservations.put(id, undefined);
        },
      }),
      retention(nodes, {
        isDone: (id, node) =>
          this.containersByNode.sizeOf(id) === 0 &&
          !placement.known(node?.declared.clusterId ?? '')?.ledger.sums.has(id),
        forget: (id, node) => {
          this.nodesByCluster.put(id, undefined);
          this.nodeUses.forget(id);
          this.engineReservations.forgetNode(id);
          this.refusedPlugins.forget(id);
          this.pendingNodes.put(id, undefined);
          if (!node) return;
          placement.forgetNode(node.declared.clusterId, id);
          this.changes.in(node.declared.clusterId)?.node(id);
        },
      }),
      retention(groups, { forget: id => this.engineReservations.forgetGroup(id) }),
      retention(clusters, {
        isDone: id => this.containersByCluster.sizeOf(id) === 0 && this.setsByCluster.sizeOf(id) === 0,
        forget: id => {
          placement.forget(id);
          this.changes.forget(id);
        },
      }),
      retention(profiles),
      retention(projects),
      retention(this.sets),
      ...attachmentRetentions(this),
    ];
  }

  private onContainer(event: RecordedEvent, changed: ResourceChanged): void {
    const id = idOf(event);
    this.containers.apply(event);
    changed('container', id, event);
    const state = this.containers.get(id);
    if (!state) return;
    this.refusedPlugins.apply(event, state);
    const { clusterId, setId } = state.declared;
    if (setId !== undefined) {
      const runs = isRunning(state);
      this.runningBySet.put(id, runs ? setId : undefined);
      if (!runs) this.demands.leave(setId, id);
    }
    if (this.setPhases.note(id, state) && setId !== undefined) changed('container-set', setId, event);
    if (state.deleted) this.usages.forget(id);
    for (const attachment of this.attachmentNames.note(id, state))
      if (state.deleted) changed(this.networks.get(attachment) ? 'network' : 'volume', attachment, event);
    if (!isTaskEvent(event) && this.placement.known(clusterId)?.ledger.reservations.has(id)) {
      this.changedReservations.put(id, clusterId);
      this.changes.in(clusterId)?.container(id);
    }
    groupContainer(this, id, state);
    const isSettled = event.type === 'ContainerPlaced' && this.nodes.get(state.nodeId ?? '')?.schedulable === true;
    const failed = event.type === 'TaskFailed' && state.work.wanted?.retriesExhausted === true;
    if (failed || (eventsAffectingPlacement.has(event.type) && !isSettled)) changed('cluster', clusterId, event);
  }

  private reportSets(clusterId: string, event: RecordedEvent, changed: ResourceChanged): void {
    for (const id of this.setsByCluster.in(clusterId)) changed('container-set', id, event);
  }

  /** Reports the sets with members on a node that leaves, is lost, or is back. */
  reportSetsOn(nodeId: string, event: RecordedEvent, changed: ResourceChanged): void {
    const sets = this.containersByNode.in(nodeId).map(id => this.containers.get(id)?.declared.setId);
    for (const id of new Set(sets)) if (id !== undefined) changed('container-set', id, event);
  }

  /** The tasks of containers have the options and the conductor group of their cluster and node group. */
  private reportContainers(clusterId: string, event: RecordedEvent, changed: ResourceChanged): void {
    for (const id of this.containersByCluster.in(clusterId)) changed('container', id, event);
  }
}
