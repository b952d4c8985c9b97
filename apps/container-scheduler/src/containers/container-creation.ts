import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import {
  clusterWorkRefusal,
  notFound,
  omitUndefined,
  type AttachmentKind,
  type ClusterState,
  type ContainerDeclaration,
  type PlacementTarget,
  type QuotaAmounts,
  type TargetNode,
} from '@stave/domain';
import { RingFollower, valuesOf, type EventContext, type RequestIds } from '@stave/service-kit';
import { ContainerAttachments } from '../attachments/container-attachments.js';
import { requireAllowedContents, withPointersInto } from '../profiles/allowed-contents.js';
import { withOwnSetIds } from '../policies/named-sets.js';
import { contentsOf, required, type ContentsInput } from '../profiles/container-contents.js';
import { resolvePlacementTarget, type HostPointers } from '../profiles/placement-target.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** A request for a container. */
export interface ContainerInput extends ContentsInput, PlacementTarget {
  readonly profile?: string;
  readonly name?: string;
  /** Aliases of hostCluster and hostNode. */
  readonly cluster?: string;
  readonly node?: string;
}

export interface ResolvedContainer {
  readonly declaration: ContainerDeclaration;
  readonly node: TargetNode | undefined;
  readonly cluster: ClusterState;
}

/** What a request for a container resolves to, and what is made before it. */
@Injectable()
export class ContainerCreation {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly ring: RingFollower,
    private readonly attachments: ContainerAttachments,
  ) {}

  /** Returns what is made before the container. */
  also({ declaration: { contents, manages = [] }, cluster }: ResolvedContainer): QuotaAmounts {
    return this.attachments.missing(cluster, contents, manages);
  }

  /** Reserves the name, and makes the networks and volumes that do not exist. Idempotent. Throws RefusedError. */
  async prepare(meta: RequestMeta, { declaration, cluster }: ResolvedContainer, context: EventContext): Promise<void> {
    const { contents, manages = [] } = declaration;
    await this.lookup.containerNames.reserve(declaration, context);
    const newId = (kind: AttachmentKind, index: number): string => valuesOf(meta).uuid(kind, index);
    await this.attachments.ensure(cluster, contents, manages, context, newId);
  }

  /** Resolves every reference of the request. Throws RefusedError. */
  async resolve(meta: RequestMeta, body: ContainerInput, ids: RequestIds): Promise<ResolvedContainer> {
    const { profile: ref, name, cluster, node: nodeRef, hostCluster, hostNode, ...overrides } = body;
    if (ref === undefined) throw required('/profile', 'a container profile is required');
    const profile = await this.lookup.profile(meta, ref);
    const { spec, created } = profile.state;
    const wanted = {
      hostNode: hostNode ?? nodeRef ?? spec.hostNode,
      hostCluster: hostCluster ?? cluster ?? spec.hostCluster,
    };
    const { hosts, node } = await resolvePlacementTarget(this.lookup, meta, omitUndefined(wanted), hostPointers(body));
    const clusterId = hosts.hostCluster ?? node?.clusterId ?? '';
    const target = this.projection.clusters.get(clusterId);
    if (!target || target.deleted) throw new RefusedError(notFound('the cluster'));
    const refusal = clusterWorkRefusal(target);
    if (refusal) throw new RefusedError(refusal);
    const contents = contentsOf({ ...spec.contents, ...(await withOwnSetIds(this.lookup, meta, overrides)) });
    requireAllowedContents(this.ring.view, target.spec, contents, overrides);
    const manages = this.attachments.managed(target);
    withPointersInto(overrides, () => this.attachments.check(target, contents, manages));
    const declaration: ContainerDeclaration = {
      id: ids.resourceId,
      name: name ?? `${created.name.slice(0, 50)}-${ids.resourceId.slice(-8)}`,
      projectId: target.created.projectId,
      profileId: profile.id,
      profileRevision: profile.state.revision,
      clusterId,
      ...hosts,
      contents,
      operation: { id: ids.operationId, kind: 'container.create', total: 1 },
      ...(manages.length > 0 && { manages }),
    };
    return { declaration, node, cluster: target };
  }
}

/** Returns the first of these members that the request has; a host that it does not name comes from the profile. */
const pointerOf = (body: ContainerInput, ...names: readonly (keyof ContainerInput)[]): string =>
  `/${names.find(name => body[name] !== undefined) ?? 'profile'}`;

const hostPointers = (body: ContainerInput): HostPointers => ({
  hostNode: pointerOf(body, 'hostNode', 'node'),
  hostCluster: pointerOf(body, 'hostCluster', 'cluster'),
});
