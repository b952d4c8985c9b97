import { RefusedError, type Actor } from '@stave/contracts';
import {
  conflict,
  groupTemplateNow,
  isUuid,
  sourceOfGroupTemplate,
  sourceOfNodeGroup,
  type ClusterState,
  type NodeGroupSource,
  type NodeGroupState,
  type NodeGroupTemplateState,
} from '@stave/domain';
import { notFoundError } from '../resources/access.js';
import { findResource, type Named } from '../resources/find-resource.js';
import { KnownGroups } from './known-groups.js';
import { referredAt } from '../resources/refused-references.js';
import type { ResourceModel } from '../resources/resource-model.js';

/** What a node group or its template is made from: exactly one of them; by id or, where only one has it, by name. */
export interface NodeGroupFrom {
  readonly nodeGroupTemplate?: string;
  readonly nodeGroup?: string;
}

export interface SourceModels {
  readonly clusters: ResourceModel<ClusterState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly groupTemplates: ResourceModel<NodeGroupTemplateState>;
}

/** What `from` of a node group means: its source as it is now, of the requester's own. Everything that was acknowledged before is seen. */
export class NodeGroupSources {
  private readonly groups: KnownGroups;

  constructor(
    private readonly models: SourceModels,
    private readonly caughtUp: () => Promise<void>,
  ) {
    this.groups = new KnownGroups(models, caughtUp);
  }

  /**
   * A node group's name is looked up in the cluster `near` first, then in the requester's project. Throws RefusedError, pointed at below
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
    const kind = { what: 'the node group template', model: this.models.groupTemplates, identity };
    const now = groupTemplateNow((await findResource(actor, ref, kind, this.caughtUp)).state);
    if (!now) throw new RefusedError(notFoundError('the node group template'));
    return sourceOfGroupTemplate(now);
  }

  private async ofGroup(actor: Actor, ref: string, near: string | undefined): Promise<NodeGroupSource> {
    const { id, state } = await this.group(actor, ref, near);
    const { declared, spec } = state;
    if (!declared || !spec) throw new RefusedError(notFoundError('the node group'));
    const parent = (await this.models.clusters.load(declared.clusterId)).state;
    if (state.deleting || parent.deleting)
      throw new RefusedError(conflict('being-deleted', 'the node group is being deleted'));
    return sourceOfNodeGroup({ id, name: declared.name, spec }, parent.spec?.driver);
  }

  private async group(actor: Actor, ref: string, near: string | undefined): Promise<Named<NodeGroupState>> {
    const identity = ({ declared }: NodeGroupState): NodeGroupState['declared'] => declared;
    const kind = { what: 'the node group', model: this.groups, identity };
    if (near === undefined || isUuid(ref)) return findResource(actor, ref, kind, this.caughtUp);
    const within = {
      ...kind,
      ids: () => this.groups.ids(),
      fits: (state: NodeGroupState): boolean => state.declared?.clusterId === near,
    };
    try {
      return await findResource(actor, ref, within, this.caughtUp);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.kind !== 'not-found') throw error;
      return findResource(actor, ref, kind, this.caughtUp);
    }
  }
}
