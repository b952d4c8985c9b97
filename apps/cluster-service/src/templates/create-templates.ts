import type { Type } from '@nestjs/common';
import type { ClusterTemplateState, NodeGroupTemplateState } from '@stave/domain';
import { ReconcileQueue, LABEL_PAIRS, listIndexes, NAME_KEY, type ServiceRuntime } from '@stave/service-kit';
import type { ClusterModels } from '../clusters/cluster-models.js';
import { SourceFinder } from './source-finder.js';
import { templateHistories } from './template-history.js';
import { TemplateModels } from './template-models.js';
import { TemplateReconciler } from './template-reconciler.js';
import { clusterTemplateController, groupTemplateController } from './template.controllers.js';
import {
  clusterTemplateDocument,
  clusterTemplateFields,
  groupTemplateDocument,
  groupTemplateFields,
} from './template.document.js';
import { Templates } from './templates.js';

/** Requests do what follows themselves; what they did not come to is done after this time. */
const SETTLE_MS = 1_000;

export interface TemplateParts {
  readonly sources: SourceFinder;
  readonly controllers: readonly Type<object>[];
}

/** Cluster templates and node group templates, as a part of a service that is not started yet. */
export function createTemplates(runtime: ServiceRuntime, clusters: ClusterModels): TemplateParts {
  const models = new TemplateModels(runtime.options.eventStore);
  const sources = new SourceFinder(runtime, clusters, models);
  const templates = new Templates(runtime, models, sources);
  const reconciler = new TemplateReconciler(templates);
  const queue = new ReconcileQueue({
    work: id => reconciler.settle(id),
    concurrency: 4,
    onError: (id, err) => runtime.log.warn({ err, id }, 'reconciliation of a template failed, will repeat'),
  });
  const changed = (id: string): void => {
    if (!runtime.feed.replaying) queue.markLater(id, SETTLE_MS);
  };
  runtime.folds('templates', models);
  models.follow(runtime.feed, {
    clusterTemplate: id => {
      runtime.mark('clusterTemplates', id);
      changed(id);
    },
    nodeGroupTemplate: id => {
      runtime.mark('nodeGroupTemplates', id);
      changed(id);
    },
  });
  runtime.addQueue(queue, { ids: () => reconciler.ids(), look: id => reconciler.isUnsettled(id) && queue.mark(id) });
  addReadModels(runtime, models);
  runtime.plans.describe<ClusterTemplateState>('clusterTemplate', {
    type: 'clusterTemplate',
    show: state => (state.created && !state.deleted ? clusterTemplateFields(state) : undefined),
  });
  runtime.plans.describe<NodeGroupTemplateState>('nodeGroupTemplate', {
    type: 'nodeGroupTemplate',
    show: state => (state.created && !state.deleted ? groupTemplateFields(state) : undefined),
  });
  const controllers = [clusterTemplateController(templates), groupTemplateController(templates)];
  return { sources, controllers: [...controllers, ...templateHistories(templates)] };
}

function addReadModels(runtime: ServiceRuntime, models: TemplateModels): void {
  runtime.addReadModel({
    name: 'clusterTemplates',
    indexes: listIndexes({ sorts: [NAME_KEY, 'updatedAt'], filters: [LABEL_PAIRS, 'driver'] }),
    document: id => clusterTemplateDocument(models, id),
    all: function* () {
      for (const [id, { position }] of models.clusterTemplates.all())
        yield [id, Math.max(position, models.positionOfGroups(id))] as const;
    },
  });
  runtime.addReadModel({
    name: 'nodeGroupTemplates',
    indexes: listIndexes({ sorts: [NAME_KEY, 'updatedAt'], filters: [LABEL_PAIRS, 'clusterTemplateId', 'role'] }),
    document: id => groupTemplateDocument(models, id),
    all: function* () {
      for (const [id, { position }] of models.groupTemplates.all()) yield [id, position] as const;
    },
  });
}
