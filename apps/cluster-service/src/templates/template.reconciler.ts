import { Injectable } from '@nestjs/common';
import { Names, type EventContext } from '@stave/service-kit';
import { GroupsInside } from './groups-inside.js';
import { clusterTemplateNames } from './template.lookup.js';
import { TemplateNames } from './template-names.js';
import { TemplateProjection } from './template.projection.js';

/** Completes what an interrupted request left undone: node group templates inside a cluster template, and names to be released. */
@Injectable()
export class TemplateReconciler {
  constructor(
    private readonly projection: TemplateProjection,
    private readonly inside: GroupsInside,
    private readonly templateNames: TemplateNames,
    private readonly names: Names,
  ) {}

  /** Idempotent. */
  async reconcileNodeGroupTemplate(id: string): Promise<void> {
    const state = this.projection.groupTemplates.get(id);
    if (state?.created) await this.templateNames.tidy(state, contextOf(id, state.created.projectId));
  }

  /** Idempotent. */
  async reconcileClusterTemplate(id: string): Promise<void> {
    if (!this.projection.clusterTemplates.get(id)?.created) return;
    const { state } = await this.projection.clusterTemplates.load(id);
    if (!state.created) return;
    const { name, projectId } = state.created;
    const context = contextOf(id, projectId);
    if (!state.deleted) return void (await this.inside.make(state, context));
    await this.inside.remove(id, context);
    await this.names.release(clusterTemplateNames(projectId), name, id, context);
  }
}

/** Milliseconds that a request is given to complete its own consequences. */
export const SETTLE_MS = 1_000;

const contextOf = (correlationId: string, project: string): EventContext => ({ correlationId, project });
