import { amountsOfClusterTemplate, type ClusterTemplateState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { clusterTemplateDocument, clusterTemplateFields } from './template.document.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';
import { SETTLE_MS, TemplateReconciler } from './template.reconciler.js';

export const clusterTemplateResource = defineResource({
  name: 'cluster-template',
  description: 'the cluster template',
  projection: TemplateProjection,
  model: ({ clusterTemplates }) => clusterTemplates,
  scope: ({ created }: ClusterTemplateState) => ({ projectId: created.projectId }),
  fields: clusterTemplateFields,
  quota: amountsOfClusterTemplate,
  readModel: {
    name: 'clusterTemplates',
    indexedSorts: [NAME_KEY, 'updatedAt'],
    indexedFilters: [LABEL_PAIRS, 'driver'],
    document: clusterTemplateDocument,
    position: (projection, id) => projection.position(id),
  },
  history: {
    parts: { category: 'nodeGroupTemplate', inMemory: (live, id) => live.idsEverInside(id) },
  },
  inject: [TemplateLookup, TemplateReconciler],
  connect: (_projection, lookup, reconciler) => ({
    find: (meta, ref) => lookup.clusterTemplates.find(meta, ref),
    reconcile: {
      reconcile: id => reconciler.reconcileClusterTemplate(id),
      concurrency: 4,
      delayMs: SETTLE_MS,
      isUnsettled: id => reconciler.isUnsettled(id),
    },
  }),
});
