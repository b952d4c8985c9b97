import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import { isUuid, type ClusterTemplateState, type NodeGroupTemplateState } from '@stave/domain';
import {
  Feed,
  findResource,
  mayTouch,
  Names,
  nameTaken,
  notFoundError,
  projectOf,
  type Named,
} from '@stave/service-kit';
import { TemplateProjection } from './template.projection.js';

/** The scope in which names of cluster templates are unique. */
export const clusterTemplateNames = (projectId: string): string => `${projectId}|clusterTemplate`;

/** Finds templates of the requester by id or name; sees everything that was acknowledged before the request. */
@Injectable()
export class TemplateLookup {
  constructor(
    private readonly names: Names,
    private readonly feed: Feed,
    private readonly projection: TemplateProjection,
  ) {}

  /** By id, or by name in the requester's project. Throws RefusedError `not-found`. */
  async clusterTemplate(actor: Actor, ref: string): Promise<Named<ClusterTemplateState>> {
    const id = isUuid(ref) ? ref : await this.ownerOf(projectOf(actor), ref);
    const state = id === undefined ? undefined : (await this.projection.clusterTemplates.load(id)).state;
    if (id === undefined || !state?.created || state.deleted || !mayTouch(actor, state.created.projectId))
      throw new RefusedError(notFoundError('the cluster template'));
    return { id, state };
  }

  /** By id or, where only one has it, by name. Throws RefusedError `not-found`, `ambiguous-name`. */
  groupTemplate(actor: Actor, ref: string): Promise<Named<NodeGroupTemplateState>> {
    const identity = ({ created }: NodeGroupTemplateState): NodeGroupTemplateState['created'] => created;
    const kind = { what: 'the node group template', model: this.projection.groupTemplates, identity };
    return findResource(actor, ref, kind, () => this.feed.caughtUp());
  }

  /** Throws RefusedError `name-taken` where a cluster template of the project has the name. */
  async requireFreeName(projectId: string, name: string): Promise<void> {
    const id = await this.ownerOf(projectId, name);
    const { created, deleted = true } = id === undefined ? {} : (await this.projection.clusterTemplates.load(id)).state;
    if (created && !deleted) throw nameTaken(name);
  }

  private async ownerOf(projectId: string, name: string): Promise<string | undefined> {
    return (await this.names.owner(clusterTemplateNames(projectId), name))?.targetId;
  }
}
