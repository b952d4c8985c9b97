import { RefusedError, type Actor } from '@stave/contracts';
import { Injectable } from '@nestjs/common';
import { conflict, MAX_GROUPS, type ClusterTemplateState } from '@stave/domain';
import { Feed, notFoundError, referredAt, type Named } from '@stave/service-kit';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';

const pointer = '/clusterTemplateId';

/** Finds the cluster templates that node group templates are to be put into. */
@Injectable()
export class TemplateParents {
  constructor(
    private readonly lookup: TemplateLookup,
    private readonly projection: TemplateProjection,
    private readonly feed: Feed,
  ) {}

  /**
   * The cluster template that `ref` names; undefined for null. `projectId`: the project of a node group template that exists. Throws
   * RefusedError: `not-found` (422), or `too-many-groups` (409) when it is full.
   */
  async find(actor: Actor, ref: string | null, projectId?: string): Promise<Named<ClusterTemplateState> | undefined> {
    if (ref === null) return undefined;
    const parent = await referredAt(pointer, async () => {
      const found = await this.lookup.clusterTemplate(actor, ref);
      const isForeign = projectId !== undefined && found.state.created?.projectId !== projectId;
      if (isForeign) throw new RefusedError(notFoundError('the cluster template'));
      return found;
    });
    await this.feed.caughtUp();
    if (this.projection.inside(parent.id).length < MAX_GROUPS) return parent;
    const detail = `a cluster template has ${MAX_GROUPS} node group templates at most`;
    const errors = [{ pointer, code: 'too-many-groups', detail }];
    throw new RefusedError({ ...conflict('too-many-groups', detail), errors });
  }
}
