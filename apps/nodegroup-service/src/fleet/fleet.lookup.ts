import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  clusterWorkRefusal,
  countedMembers,
  currentBuild,
  nodeGroupStream,
  outdatedMembers,
  pausedRefusal,
  type ClusterState,
  type Decision,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import {
  Feed,
  finderOf,
  findResource,
  holdsVolumes,
  mayTouch,
  type Finder,
  type Named,
  type Search,
} from '@stave/service-kit';
import { DeclaredGroups } from './declared-groups.js';
import { FleetProjection } from './fleet.projection.js';

/** Finds resources of the requester by id or name. */
@Injectable()
export class FleetLookup {
  readonly cluster: Finder<ClusterState>;
  readonly node: Finder<NodeState>;

  constructor(
    private readonly projection: FleetProjection,
    private readonly feed: Feed,
    private readonly declared: DeclaredGroups,
  ) {
    this.cluster = finderOf(feed, projection.clusters, state => state.created);
    this.node = finderOf(feed, projection.nodes, state => state.declared);
  }

  /** `clusterRef` limits the search to one cluster. */
  async group(search: Search, ref: string, clusterRef?: string): Promise<Named<NodeGroupState>> {
    const { groups: model } = this.projection;
    const kind = { model, identity: (state: NodeGroupState) => state.declared };
    const caughtUp = (): Promise<void> => this.feed.caughtUp();
    if (clusterRef === undefined) return findResource(search, ref, kind, caughtUp);
    const { id: clusterId } = await this.cluster(search, clusterRef);
    const ids = (): readonly string[] => this.projection.groupsOf(clusterId);
    const fits = ({ declared }: NodeGroupState): boolean => declared.clusterId === clusterId;
    return findResource(search, ref, { ...kind, ids, fits }, caughtUp);
  }

  /** As `group`, for a change: a group that was accepted with its cluster and does not exist yet is created first. */
  async groupToChange(meta: RequestMeta, ref: string, clusterRef?: string): Promise<Named<NodeGroupState>> {
    const find = (): Promise<Named<NodeGroupState>> => this.group(meta, ref, clusterRef);
    return find().catch(async (error: unknown) => {
      if (!(error instanceof RefusedError) || error.error.kind !== 'not-found') throw error;
      await this.createAwaited(meta, ref);
      // also where nothing was awaited any more: the group may have been created since the first search
      return find();
    });
  }

  /** Resolves when everything acknowledged before the call is known here. Throws RefusedError `catching-up` after 2 s. */
  caughtUp(): Promise<void> {
    return this.feed.caughtUp();
  }

  /** Whether a cluster was accepted with such a group, which does not exist yet, as far as this process has seen. */
  async awaitsGroup(search: Search, ref: string, clusterRef?: string): Promise<boolean> {
    const clusters = this.awaiting(search, ref);
    if (clusterRef === undefined || clusters.length === 0) return clusters.length > 0;
    const { id } = await this.cluster(search, clusterRef);
    return clusters.some(({ created }) => created.id === id);
  }

  private async createAwaited(meta: RequestMeta, ref: string): Promise<void> {
    await this.feed.caughtUp();
    for (const cluster of this.awaiting(meta, ref)) await this.declared.createMissing(cluster);
  }

  private awaiting({ actor }: Search, ref: string): readonly ClusterState[] {
    return this.projection.awaiting(ref).filter(({ created }) => mayTouch(actor, created.projectId));
  }

  /** Throws RefusedError `holds-volumes` where nodes have the only data of volumes that are to be retained. */
  requireNoVolumes(nodeIds: Iterable<string>, discardVolumes = false, instead?: string): void {
    const names = discardVolumes ? [] : this.projection.heldVolumes.on(nodeIds);
    if (names.length > 0) throw holdsVolumes(names, instead);
  }

  /**
   * Throws RefusedError `holds-volumes` where a change of the group replaces nodes that have the only data of volumes that are to be retained, or
   * leaves room for fewer nodes than have such data.
   */
  requireKeptData(before: NodeGroupState, decision: Decision<NodeGroupEvent>, discardVolumes?: boolean): void {
    const { heldVolumes } = this.projection;
    if (!decision.ok || heldVolumes.isEmpty) return;
    const after = decision.events.reduce<NodeGroupState>((s, e) => nodeGroupStream.evolve(s, e, s.updatedAt), before);
    const known = new Set(
      currentBuild(after) === currentBuild(before) ? outdatedMembers(before).map(({ id }) => id) : [],
    );
    const replaced = outdatedMembers(after).flatMap(({ id }) => (known.has(id) ? [] : [id]));
    this.requireNoVolumes(replaced, discardVolumes);
    const { count } = after.spec;
    const holding = countedMembers(after).flatMap(({ id }) => (heldVolumes.holds(id) ? [id] : []));
    if (count < before.spec.count && holding.length > count)
      this.requireNoVolumes(holding, false, 'only a request for the node itself may discard them');
  }

  /**
   * Throws RefusedError `paused`, or `cluster-failed`, where the cluster accepts no changes of its nodes. A failed cluster accepts
   * removals; groups of a cluster that is being deleted refuse changes themselves.
   */
  async requireAccepting(clusterId: string, change: 'work' | 'removal' = 'work'): Promise<void> {
    const { state } = await this.projection.clusters.load(clusterId);
    const refusal = state && clusterChangeRefusal(state);
    if (refusal && (change === 'work' || refusal.code !== 'cluster-failed')) throw new RefusedError(refusal);
  }
}

/** Returns why nodes of the cluster cannot be changed now: it is paused or has failed. */
export function clusterChangeRefusal(cluster: ClusterState): ReturnType<typeof pausedRefusal> {
  const refusal = clusterWorkRefusal(cluster);
  return pausedRefusal(cluster) ?? (refusal?.code === 'cluster-failed' ? refusal : undefined);
}
