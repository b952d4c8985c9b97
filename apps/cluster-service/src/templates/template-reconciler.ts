import type { EventContext } from '@stave/service-kit';
import { clusterTemplateNames } from './find-templates.js';
import type { Templates } from './templates.js';

/** What a request that never came to its end left undone: those inside a cluster template, and names that are free again. */
export class TemplateReconciler {
  constructor(private readonly templates: Templates) {}

  /** Ids of both kinds. */
  *ids(): Iterable<string> {
    const { clusterTemplates, groupTemplates } = this.templates.models;
    yield* clusterTemplates.ids();
    yield* groupTemplates.ids();
  }

  /** Whether something is missing, as far as this process has heard; names that are not freed yet count as free anyway. */
  isUnsettled(id: string): boolean {
    return this.templates.inside.isUnsettled(id);
  }

  /** Again changes nothing. */
  async settle(id: string): Promise<void> {
    const { clusterTemplates, groupTemplates } = this.templates.models;
    if (clusterTemplates.get(id)?.created) await this.settleClusterTemplate(id);
    const group = groupTemplates.get(id);
    if (group?.created) await this.templates.names.tidy(group, contextOf(id, group.created.projectId));
  }

  private async settleClusterTemplate(id: string): Promise<void> {
    const { models, inside, runtime } = this.templates;
    const { state } = await models.clusterTemplates.load(id);
    if (!state.created) return;
    const { name, projectId } = state.created;
    const context = contextOf(id, projectId);
    if (!state.deleted) return void (await inside.make(state, context));
    await inside.remove(id, context);
    await runtime.names.release(clusterTemplateNames(projectId), name, id, context);
  }
}

const contextOf = (correlationId: string, project: string): EventContext => ({ correlationId, project });
