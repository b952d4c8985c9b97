import type { ClusterTemplateState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { GroupsInside } from './groups-inside.js';
import { clusterTemplateDocument, clusterTemplateFields } from './template.document.js';
import { TemplateLookup } from './template.lookup.js';
import { TemplateProjection } from './template.projection.js';
import { SETTLE_MS, TemplateReconciler } from './template.reconciler.js';

export const clusterTemplateResource = defineResource({
  name: 'cluster-template',
  description: 'the cluster template',
  projection: TemplateProjection,
  model: ({ clusterTemplates }) => clusterTemplates,
  scope: ({ created }: ClusterTemplateState) => created && { projectId: created.projectId },
  fields: state => (state.created && !state.deleted ? clusterTemplateFields(state) : undefined),
  readModel: {
    name: 'clusterTemplates',
    sorts: [NAME_KEY, 'updatedAt'],
    filters: [LABEL_PAIRS, 'driver'],
    document: clusterTemplateDocument,
    position: (projection, id) =>
      Math.max(projection.clusterTemplates.entry(id)?.position ?? -1, projection.positionOfGroups(id)),
  },
  history: {
    related: (_past, id, live) => [...live.idsEverInside(id)].map(group => ['nodeGroupTemplate', group] as const),
  },
  inject: [TemplateLookup, TemplateReconciler, GroupsInside],
  connect: (_projection, lookup, reconciler, inside) => ({
    find: ({ actor }, ref) => lookup.clusterTemplate(actor, ref),
    reconcile: {
      reconcile: id => reconciler.reconcileClusterTemplate(id),
      concurrency: 4,
      delayMs: SETTLE_MS,
      isUnsettled: id => inside.isUnsettled(id),
    },
  }),
});
