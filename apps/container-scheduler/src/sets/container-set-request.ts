import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  brokenRules,
  clusterWorkRefusal,
  completeAutoscaling,
  contentsFrom,
  defaultSetBackoff,
  defaultSetStrategy,
  mergePatch,
  notFound,
  omitUndefined,
  revisionOf,
  type ClusterState,
  type ContainerProfileState,
  type ContainerSetSpec,
  type ContainerSetState,
  type GivenAutoscaling,
  type SetBackoff,
  type SetOverrides,
  type SetSource,
  type SetSpecChanges,
  type SetUpdateStrategy,
} from '@stave/domain';
import { RingFollower, type Named } from '@stave/service-kit';
import { withOwnSetIds } from '../policies/named-sets.js';
import { requireAllowedContents } from '../profiles/allowed-contents.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

export interface ContainerSetInput {
  readonly name?: string;
  readonly profile: string;
  readonly overrides?: SetOverrides;
  readonly desired?: number;
  readonly min?: number;
  readonly max?: number;
  readonly updateStrategy?: Partial<SetUpdateStrategy>;
  readonly backoff?: Partial<SetBackoff>;
  readonly autoscaling?: GivenAutoscaling;
}

/** A merge patch: null restores a default, and removes an override. */
export interface ContainerSetPatch {
  readonly profile?: string;
  readonly overrides?: Readonly<Record<string, unknown>> | null;
  readonly desired?: number;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly updateStrategy?: Readonly<Record<string, unknown>> | null;
  readonly backoff?: Readonly<Record<string, unknown>> | null;
  readonly autoscaling?: Readonly<Record<string, unknown>> | null;
}

/** Resolves what requests say about a set: its profile, its cluster, and the defaults of what they leave out. */
@Injectable()
export class ContainerSetRequests {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly ring: RingFollower,
  ) {}

  /** Returns the specification with its defaults. */
  specOf({ desired, min = 0, max, updateStrategy, backoff, autoscaling }: ContainerSetInput): ContainerSetSpec {
    return {
      desired: desired ?? Math.max(min, 1),
      min,
      ...omitUndefined({ max, autoscaling: autoscaling && completeAutoscaling(autoscaling) }),
      updateStrategy: { ...defaultSetStrategy, ...updateStrategy },
      backoff: { ...defaultSetBackoff, ...backoff },
    };
  }

  /** Finds the profile. Throws RefusedError. */
  profile(meta: RequestMeta, ref: string): Promise<Named<ContainerProfileState>> {
    return this.lookup.profile(meta, ref);
  }

  /** Returns the overrides with the ids of sets in place of their names. Throws RefusedError. */
  overrides<O extends object>(meta: RequestMeta, overrides: O): Promise<O> {
    return withOwnSetIds(this.lookup, meta, overrides, '/overrides');
  }

  /** Returns the source of the present revision of the profile. */
  sourceOf({ id, state }: Named<ContainerProfileState>, overrides: SetOverrides): SetSource {
    const { spec, revision } = state;
    return {
      profileId: id,
      profileRevision: revision,
      profile: spec.contents,
      ...omitUndefined({ hostNode: spec.hostNode }),
      overrides,
    };
  }

  /** Returns the id of the cluster that the profile belongs to. Throws RefusedError where the cluster accepts no work. */
  clusterOf({ state: { spec } }: Named<ContainerProfileState>): { readonly id: string; readonly state: ClusterState } {
    const id = spec.hostCluster ?? this.projection.nodes.get(spec.hostNode ?? '')?.declared.clusterId ?? '';
    return { id, state: this.requireAccepting(id) };
  }

  /** Throws RefusedError where the cluster does not exist, is paused or being deleted. */
  requireAccepting(clusterId: string): ClusterState {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster || cluster.deleted) throw new RefusedError(notFound('the cluster'));
    const refusal = clusterWorkRefusal(cluster);
    if (refusal) throw new RefusedError(refusal);
    return cluster;
  }

  /** Throws RefusedError for contents that the driver of the cluster does not run. */
  requireAllowed(cluster: ClusterState, source: SetSource): void {
    requireAllowedContents(this.ring.view, cluster.spec, contentsFrom(source), source.overrides);
  }

  /** Returns the source after a change of profile or overrides. Throws RefusedError for a profile of another cluster. */
  async changedSource(
    meta: RequestMeta,
    set: ContainerSetState,
    change: Pick<ContainerSetPatch, 'profile' | 'overrides'>,
  ): Promise<SetSource> {
    const { revision: _number, ...current } = revisionOf(set);
    const given = change.overrides && (await this.overrides(meta, change.overrides));
    const merged = given === null ? {} : mergePatch(current.overrides, given ?? {});
    const overrides = merged as SetOverrides;
    const source =
      change.profile === undefined
        ? { ...current, overrides }
        : this.sourceOf(await this.profileIn(meta, set, change.profile), overrides);
    const cluster = this.projection.clusters.get(set.declared.clusterId);
    if (cluster) this.requireAllowed(cluster, source);
    return source;
  }

  private async profileIn(meta: RequestMeta, set: ContainerSetState, ref: string) {
    const profile = await this.profile(meta, ref);
    if (this.clusterOf(profile).id === set.declared.clusterId) return profile;
    const detail = 'the profile belongs to another cluster than the set';
    throw new RefusedError(brokenRules([{ pointer: '/profile', code: 'cluster-mismatch', detail }]));
  }
}

/** Returns the changes of a patch with their complete new values. */
export function setChanges(spec: ContainerSetSpec, patch: ContainerSetPatch): SetSpecChanges {
  const { desired, min, max, updateStrategy, backoff, autoscaling } = patch;
  return omitUndefined({
    desired,
    min: min === null ? 0 : min,
    max,
    updateStrategy: patched(spec.updateStrategy, defaultSetStrategy, updateStrategy),
    backoff: patched(spec.backoff, defaultSetBackoff, backoff),
    autoscaling:
      autoscaling && completeAutoscaling(mergePatch(spec.autoscaling ?? {}, autoscaling) as GivenAutoscaling),
  });
}

function patched<T extends object>(
  current: T,
  defaults: T,
  patch: Readonly<Record<string, unknown>> | null | undefined,
): T | undefined {
  if (patch === undefined) return undefined;
  return patch === null ? defaults : { ...defaults, ...(mergePatch(current, patch) as Partial<T>) };
}
