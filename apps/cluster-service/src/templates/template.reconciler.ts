import { RefusedError } from '@stave/contracts';
import {
  createNodeGroupTemplate,
  deleteWithClusterTemplate,
  omitUndefined,
  type ClusterTemplateState,
  type NodeGroupTemplateDeclaration,
  type NodeGroupTemplateState,
} from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { Feed, RECONCILER, type EventContext } from '@stave/service-kit';
import { TemplateLookup } from './template.lookup.js';
import { TemplateNames } from './template-names.js';
import { TemplateProjection } from './template.projection.js';

/** Milliseconds that a request is given to complete its own consequences. */
export const SETTLE_MS = 1_000;

/**
 * Creates and deletes node group templates with their cluster template and releases the names of deleted templates: for a request before
 * its answer, and again for a request that was interrupted.
 */
@Injectable()
export class TemplateReconciler {
  constructor(
    private readonly projection: TemplateProjection,
    private readonly names: TemplateNames,
    private readonly lookup: TemplateLookup,
    private readonly feed: Feed,
  ) {}

  /** Idempotent. */
  async reconcileNodeGroupTemplate(id: string): Promise<void> {
    const state = this.projection.groupTemplates.get(id);
    if (!state) return;
    await this.names.tidy(state, { correlationId: id, actor: RECONCILER, project: state.created.projectId });
    if (state.clusterTemplateId !== null && this.isOrphaned(state))
      await this.reconcileClusterTemplate(state.clusterTemplateId);
  }

  /** Idempotent. */
  async reconcileClusterTemplate(id: string): Promise<void> {
    const { state, streamRevision } = await this.projection.clusterTemplates.load(id);
    if (!state) return;
    const context = await this.contextOf(state, streamRevision);
    if (!state.deleted) return void (await this.createGroups(state, context));
    await this.deleteGroups(state, context);
    await this.lookup.clusterTemplates.release(state.created, context);
  }

  /** Whether the creation or deletion of a node group template inside is missing, as far as this process has seen. */
  isUnsettled(id: string): boolean {
    const { clusterTemplates, groupTemplates } = this.projection;
    const template = clusterTemplates.get(id);
    if (template?.deleted) return this.projection.inside(id).length > 0;
    return template?.created.groups.some(group => groupTemplates.entry(group.id) === undefined) ?? false;
  }

  /** Whether a node group template was moved into a cluster template, or created there, after that was deleted and left memory. */
  isOrphaned({ deleted, clusterTemplateId: parent }: NodeGroupTemplateState): boolean {
    return !deleted && parent !== null && !this.projection.clusterTemplates.entry(parent);
  }

  /** Creates the node group templates that the template was created with. Resolves to the position of the last one, -1 without one. */
  async createGroups({ created }: ClusterTemplateState, context: EventContext): Promise<number> {
    const { groupTemplates } = this.projection;
    const scope = { projectId: created.projectId, clusterTemplateId: created.id };
    let last = -1;
    for (const group of created.groups) {
      const known = groupTemplates.entry(group.id) ?? (await groupTemplates.load(group.id));
      const { position = known.position } =
        known.streamRevision < 0 ? await this.createGroup({ ...group, ...scope }, context) : known;
      last = Math.max(last, position);
    }
    return last;
  }

  /** Deletes the node group templates inside a deleted template. Resolves to the position of the last deletion, -1 without one. */
  async deleteGroups({ created }: ClusterTemplateState, context: EventContext): Promise<number> {
    const { id: parentId } = created;
    await this.feed.caughtUp();
    let last = -1;
    for (const [id] of this.projection.inside(parentId)) {
      const { groupTemplates } = this.projection;
      const { position = -1 } = await groupTemplates.execute(id, s => deleteWithClusterTemplate(s, parentId), context);
      last = Math.max(last, position);
    }
    return last;
  }

  /** Returns the context of the request that is completed: its event is the first of the stream, or the last when it is a deletion. */
  private async contextOf({ created, deleted }: ClusterTemplateState, last: number): Promise<EventContext> {
    const event = await this.projection.clusterTemplates.eventAt(created.id, deleted ? last : 0);
    const { correlationId, actor = RECONCILER, actorName } = event.metadata;
    const requester = { actor, ...omitUndefined({ actorName }) };
    return { correlationId, causationId: event.id, ...requester, project: created.projectId };
  }

  private async createGroup(
    data: NodeGroupTemplateDeclaration & { readonly projectId: string; readonly clusterTemplateId: string },
    context: EventContext,
  ): Promise<{ readonly position: number | undefined }> {
    const { groupTemplates } = this.projection;
    try {
      await this.names.take(data, data, context);
    } catch (error) {
      // it was created and moved out meanwhile: its name here belongs to another template
      const { streamRevision, position } = await groupTemplates.load(data.id);
      if (error instanceof RefusedError && streamRevision >= 0) return { position };
      throw error;
    }
    return groupTemplates.create(data.id, () => createNodeGroupTemplate(data), context);
  }
}
