import { Inject, Injectable } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import {
  isAutoscaled,
  type PolicyProperties,
  type PolicyState,
  type PolicyTarget,
  type PolicyTargetType,
} from '@stave/domain';
import {
  Feed,
  finderOf,
  HOOK_HOSTS,
  Names,
  PolicyProjection,
  ProjectNames,
  requireAllowedHook,
  type Finder,
  type ResourceScope,
} from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** A target that exists. */
export interface FoundTarget {
  readonly target: PolicyTarget;
  readonly scope: ResourceScope;
  /** The target and what contains it. */
  readonly levels: readonly string[];
}

/** Finds policies and their targets by id or name, and reserves the names of policies. */
@Injectable()
export class PolicyLookup {
  readonly policy: Finder<PolicyState>;
  readonly names: ProjectNames<PolicyState>;

  constructor(
    { policies }: PolicyProjection,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    feed: Feed,
    names: Names,
    @Inject(HOOK_HOSTS) private readonly hookHosts: readonly string[],
  ) {
    this.policy = finderOf(feed, policies, ({ created }) => created);
    this.names = new ProjectNames(names, policies, ({ created }) => created);
  }

  /** Throws RefusedError `not-found` and `ambiguous-name`. */
  async target(meta: Pick<RequestMeta, 'actor'>, type: PolicyTargetType, ref: string): Promise<FoundTarget> {
    if (type === 'cluster') {
      const { id, state } = await this.lookup.cluster(meta, ref);
      const scope = { projectId: state.created.projectId, clusterId: id };
      return { target: { type, id }, scope, levels: [id] };
    }
    const find = type === 'nodeGroup' ? this.lookup.nodeGroup : this.lookup.set;
    const { id, state } = await find(meta, ref);
    const { projectId, clusterId } = state.declared;
    return { target: { type, id }, scope: { projectId, clusterId }, levels: [id, clusterId] };
  }

  /** Returns the cluster of a set that this process knows. */
  clusterOfSet(setId: string): string | undefined {
    return this.projection.sets.get(setId)?.declared.clusterId;
  }

  /** Returns the cluster that contains a set or a node group, as far as this process knows. */
  clusterOf({ type, id }: PolicyTarget): string | undefined {
    const { groups } = this.projection;
    return type === 'nodeGroup' ? groups.get(id)?.declared.clusterId : this.clusterOfSet(id);
  }

  /** Throws RefusedError `hook-not-allowed`. */
  requireAllowedHook(properties: PolicyProperties): void {
    requireAllowedHook(this.hookHosts, properties);
  }

  setsIn(clusterId: string): readonly string[] {
    return this.projection.setsByCluster.in(clusterId);
  }

  /** Whether the target is a container set that follows its load. */
  readonly followsLoad = (targetId: string): boolean => {
    const set = this.projection.sets.get(targetId);
    return set !== undefined && isAutoscaled(set.spec);
  };

  /** Whether the target does not exist any more. */
  async isDeleted({ type, id }: PolicyTarget): Promise<boolean> {
    const { clusters, groups, sets } = this.projection;
    const model = { cluster: clusters, nodeGroup: groups, containerSet: sets }[type];
    return (await model.lookUp(id)).state?.deleted !== false;
  }

  /** Returns the project and the cluster of a target, also of one that is deleted. */
  async scopeOf({ type, id }: PolicyTarget): Promise<ResourceScope> {
    const { clusters, groups, sets } = this.projection;
    if (type === 'cluster') {
      const { created } = (await clusters.loadExisting(id)).state;
      return { projectId: created.projectId, clusterId: id };
    }
    const { declared } = (await (type === 'nodeGroup' ? groups.loadExisting(id) : sets.loadExisting(id))).state;
    return { projectId: declared.projectId, clusterId: declared.clusterId };
  }
}
