import type { Type } from '@nestjs/common';
import type { ClusterTemplateState, NodeGroupTemplateState } from '@stave/domain';
import { HistoryFeed, historyController, type HistoryContext } from '@stave/service-kit';
import { TemplateModels } from './template-models.js';
import { clusterTemplateDocument, groupTemplateDocument } from './template.document.js';
import type { Templates } from './templates.js';

const ignored = (): void => undefined;

function pastModels({ runtime }: Templates): { readonly models: TemplateModels; readonly feed: HistoryFeed } {
  const models = new TemplateModels(runtime.events);
  const feed = new HistoryFeed();
  models.follow(feed, { clusterTemplate: ignored, nodeGroupTemplate: ignored });
  return { models, feed };
}

/** Its own events, and those of every node group template that ever was inside. */
function clusterTemplateWorld(templates: Templates): HistoryContext<ClusterTemplateState> {
  const { models, feed } = pastModels(templates);
  const { clusterTemplates } = models;
  return {
    feed,
    own: clusterTemplates,
    // who was inside is known from the moves, from the first one on
    snapshots: [clusterTemplates],
    document: id => clusterTemplateDocument(models, id),
    around: id => [...templates.models.idsEverInside(id)].map(group => ['nodeGroupTemplate', group] as const),
  };
}

function groupTemplateWorld(templates: Templates): HistoryContext<NodeGroupTemplateState> {
  const { models, feed } = pastModels(templates);
  const { groupTemplates } = models;
  const document = (id: string): ReturnType<typeof groupTemplateDocument> => groupTemplateDocument(models, id);
  return { feed, own: groupTemplates, snapshots: [groupTemplates], document, around: () => [] };
}

/** Past states of templates. */
export const templateHistories = (templates: Templates): Type<object>[] => [
  historyController('cluster-service', 'cluster-template', templates.runtime, {
    readModel: 'clusterTemplates',
    what: 'the cluster template',
    model: templates.models.clusterTemplates,
    home: ({ created }) => created && { projectId: created.projectId },
    world: () => clusterTemplateWorld(templates),
    find: ({ actor }, ref) => templates.find.clusterTemplate(actor, ref),
  }),
  historyController('cluster-service', 'node-group-template', templates.runtime, {
    readModel: 'nodeGroupTemplates',
    what: 'the node group template',
    model: templates.models.groupTemplates,
    home: ({ created }) => created && { projectId: created.projectId },
    world: () => groupTemplateWorld(templates),
    find: ({ actor }, ref) => templates.find.groupTemplate(actor, ref),
    references: { clusterTemplateId: ({ actor }, ref) => templates.find.clusterTemplate(actor, ref) },
  }),
];
