import { RefusedError } from '@stave/contracts';
import {
  createNodeGroupTemplate,
  deleteWithClusterTemplate,
  type ClusterTemplateState,
  type NodeGroupTemplateDeclaration,
} from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { Feed, type EventContext } from '@stave/service-kit';
import { TemplateNames } from './template-names.js';
import { TemplateProjection } from './template.projection.js';

/** What follows for the node group templates inside from what became of their cluster template; repeated until done. */
@Injectable()
export class GroupsInside {
  constructor(
    private readonly projection: TemplateProjection,
    private readonly names: TemplateNames,
    private readonly feed: Feed,
  ) {}

  /** Whether something that the creation or the deletion asked for is missing, as far as this process has heard. */
  isUnsettled(id: string): boolean {
    const { clusterTemplates, groupTemplates } = this.projection;
    const { created, deleted } = clusterTemplates.get(id) ?? {};
    if (deleted) return this.projection.inside(id).length > 0;
    return created?.groups.some(group => groupTemplates.entry(group.id) === undefined) ?? false;
  }

  /** Makes those that the template was created with. Answers the position of the last of them, -1 where there is none. */
  async make({ created }: ClusterTemplateState, context: EventContext): Promise<number> {
    if (!created) return -1;
    const { groupTemplates } = this.projection;
    const place = { projectId: created.projectId, clusterTemplateId: created.id };
    let last = -1;
    for (const group of created.groups) {
      const known = groupTemplates.entry(group.id) ?? (await groupTemplates.load(group.id));
      const { position = known.position } =
        known.streamRevision < 0 ? await this.makeOne({ ...group, ...place }, context) : known;
      last = Math.max(last, position);
    }
    return last;
  }

  /** Deletes all of a deleted template. Answers the position of the last deletion, -1 where there was none. */
  async remove(clusterTemplateId: string, context: EventContext): Promise<number> {
    await this.feed.caughtUp();
    let last = -1;
    for (const [id] of this.projection.inside(clusterTemplateId)) {
      const { groupTemplates } = this.projection;
      const done = await groupTemplates.execute(
        id,
        state => deleteWithClusterTemplate(state, clusterTemplateId),
        context,
      );
      last = Math.max(last, done.position ?? -1);
    }
    return last;
  }

  private async makeOne(
    data: NodeGroupTemplateDeclaration & { readonly projectId: string; readonly clusterTemplateId: string },
    context: EventContext,
  ): Promise<{ readonly position: number | undefined }> {
    const { groupTemplates } = this.projection;
    try {
      await this.names.take(data, data, context);
    } catch (error) {
      // it was made meanwhile and has left again: its name here is another's
      const { streamRevision, position } = await groupTemplates.load(data.id);
      if (error instanceof RefusedError && streamRevision >= 0) return { position };
      throw error;
    }
    return groupTemplates.create(
      data.id,
      state => state.created !== undefined,
      () => createNodeGroupTemplate(data),
      context,
    );
  }
}
