import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import { notFound, conflict, MAX_GROUPS, type ClusterTemplateState, type NodeGroupTemplateState } from '@stave/domain';
import { Feed, finderOf, Names, ProjectNames, referredAt, type Finder, type Named } from '@stave/service-kit';
import { TemplateProjection } from './template.projection.js';

const pointer = '/clusterTemplateId';

/** Finds templates of the requester by id or name; sees everything that was acknowledged before the request. */
@Injectable()
export class TemplateLookup {
  readonly clusterTemplates: ProjectNames<ClusterTemplateState>;
  readonly groupTemplate: Finder<NodeGroupTemplateState>;

  constructor(
    names: Names,
    private readonly feed: Feed,
    private readonly projection: TemplateProjection,
  ) {
    const { clusterTemplates, groupTemplates } = projection;
    this.clusterTemplates = new ProjectNames(names, clusterTemplates, ({ created }) => created);
    this.groupTemplate = finderOf(feed, groupTemplates, ({ created }) => created);
  }

  /** Returns the cluster template that a node group template is in, as far as this process has seen. */
  parentOf({ clusterTemplateId }: NodeGroupTemplateState): ClusterTemplateState | undefined {
    return this.projection.clusterTemplates.get(clusterTemplateId ?? '');
  }

  /**
   * Finds the cluster template that a node group template is put into; undefined for null. `projectId` is the project of a node group
   * template that exists. Throws RefusedError: `not-found` (422), or `too-many-groups` (409) when it is full.
   */
  async parent(actor: Actor, ref: string | null, projectId?: string): Promise<Named<ClusterTemplateState> | undefined> {
    if (ref === null) return undefined;
    const parent = await referredAt(pointer, async () => {
      const found = await this.clusterTemplates.find({ actor }, ref);
      const isForeign = projectId !== undefined && found.state.created.projectId !== projectId;
      if (isForeign) throw new RefusedError(notFound('the cluster template'));
      return found;
    });
    await this.feed.caughtUp();
    if (this.projection.inside(parent.id).length < MAX_GROUPS) return parent;
    const detail = `a cluster template has ${MAX_GROUPS} node group templates at most`;
    const errors = [{ pointer, code: 'too-many-groups', detail }];
    throw new RefusedError({ ...conflict('too-many-groups', detail), errors });
  }
}
