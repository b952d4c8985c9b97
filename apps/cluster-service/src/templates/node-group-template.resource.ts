import type { NodeGroupTemplateState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { groupTemplateFields } from './template.document.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';
import { SETTLE_MS, TemplateReconciler } from './template.reconciler.js';

export const nodeGroupTemplateResource = defineResource({
  name: 'node-group-template',
  description: 'the node group template',
  projection: TemplateProjection,
  model: ({ groupTemplates }) => groupTemplates,
  scope: ({ created }: NodeGroupTemplateState) => ({ projectId: created.projectId }),
  fields: groupTemplateFields,
  quota: () => ({ templates: 1 }),
  readModel: {
    name: 'nodeGroupTemplates',
    indexedSorts: [NAME_KEY, 'updatedAt'],
    indexedFilters: [LABEL_PAIRS, 'clusterTemplateId', 'role'],
  },
  inject: [TemplateLookup, TemplateReconciler],
  connect: (_projection, lookup, reconciler) => ({
    find: (meta, ref) => lookup.groupTemplate(meta, ref),
    references: { clusterTemplateId: (meta, ref) => lookup.clusterTemplates.find(meta, ref) },
    reconcile: {
      reconcile: id => reconciler.reconcileNodeGroupTemplate(id),
      concurrency: 4,
      delayMs: SETTLE_MS,
      // a name that is not released yet counts as free
      isUnsettled: (_id, state) => reconciler.isOrphaned(state),
    },
  }),
});
