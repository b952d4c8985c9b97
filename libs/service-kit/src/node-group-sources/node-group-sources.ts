import { RefusedError, type Actor } from '@stave/contracts';
import {
  awaitedGroups,
  conflict,
  isUuid,
  sourceOfGroupTemplate,
  sourceOfNodeGroup,
  type ClusterState,
  type NodeGroupSource,
  type NodeGroupState,
  type NodeGroupTemplateState,
} from '@stave/domain';
import { findResource, type FoundKind, type Named } from '../resources/find-resource.js';
import { referredAt } from '../resources/refused-references.js';
import type { ResourceModel } from '../resources/resource-model.js';

/** The source of a node group or its template: exactly one of them, by id or by a unique name. */
export interface NodeGroupFrom {
  readonly nodeGroupTemplate?: string;
  readonly nodeGroup?: string;
}

export interface SourceModels {
  readonly clusters: ResourceModel<ClusterState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly groupTemplates: ResourceModel<NodeGroupTemplateState>;
}

/** Finds the current sources of node groups among the requester's resources. Sees everything that was acknowledged before the request. */
export class NodeGroupSources {
  constructor(
    private readonly models: SourceModels,
    private readonly caughtUp: () => Promise<void>,
  ) {}

  /**
   * Looks up the name of a node group in the cluster `near` first, then in the requester's project. Throws RefusedError, pointed at below
   * `base`: `not-found` (422); `ambiguous-name` with the candidates, `being-deleted` (409).
   */
  of(
    actor: Actor,
    { nodeGroupTemplate, nodeGroup = '' }: NodeGroupFrom,
    base: string,
    near?: string,
  ): Promise<NodeGroupSource> {
    return nodeGroupTemplate === undefined
      ? referredAt(`${base}/nodeGroup`, () => this.ofGroup(actor, nodeGroup, near))
      : referredAt(`${base}/nodeGroupTemplate`, () => this.ofTemplate(actor, nodeGroupTemplate));
  }

  private async ofTemplate(actor: Actor, ref: string): Promise<NodeGroupSource> {
    const identity = ({ created }: NodeGroupTemplateState): NodeGroupTemplateState['created'] => created;
    const kind = { model: this.models.groupTemplates, identity };
    const { state } = await findResource({ actor }, ref, kind, this.caughtUp);
    return sourceOfGroupTemplate({ ...state.created, ...state });
  }

  private async ofGroup(actor: Actor, ref: string, near: string | undefined): Promise<NodeGroupSource> {
    const { id, state } = await this.group(actor, ref, near);
    const { declared, spec, deleting } = state;
    const { state: parent } = await this.models.clusters.load(declared.clusterId);
    if (deleting || parent?.deleting)
      throw new RefusedError(conflict('being-deleted', 'the node group is being deleted'));
    return sourceOfNodeGroup({ id, name: declared.name, spec }, parent?.spec.driver);
  }

  private async group(actor: Actor, ref: string, near: string | undefined): Promise<Named<NodeGroupState>> {
    const { clusters, groups: model } = this.models;
    const kind: FoundKind<NodeGroupState> = {
      model,
      identity: ({ declared }) => declared,
      awaited: () => awaitedGroups(statesOf(clusters), id => model.entry(id) !== undefined),
    };
    const fits = ({ declared }: NodeGroupState): boolean => declared.clusterId === near;
    const inCluster = { ...kind, fits, ids: () => model.ids() };
    if (near === undefined || isUuid(ref)) return findResource({ actor }, ref, kind, this.caughtUp);
    return findResource({ actor }, ref, inCluster, this.caughtUp).catch((error: unknown) => {
      if (!(error instanceof RefusedError) || error.error.kind !== 'not-found') throw error;
      return findResource({ actor }, ref, kind, this.caughtUp);
    });
  }
}

function* statesOf<S>(model: ResourceModel<S>): Iterable<S> {
  for (const [, { state }] of model.all()) if (state !== undefined) yield state;
}
