import * as t from '../schemas/template.schemas.js';
import { flavorExample } from './cluster.routes.js';
import { CrudRoutes } from './crud.routes.js';
import { groupCharacteristics } from './node-group.routes.js';

const clusterTemplates = new CrudRoutes({
  one: 'clusterTemplate',
  many: 'clusterTemplates',
  path: '/v1/cluster-templates',
  schema: t.clusterTemplate,
  list: {
    filters: {
      id: 'id',
      name: 'name',
      projectId: 'reference',
      driver: 'text',
      driverVersion: 'text',
      conductorGroup: 'text',
      description: 'text',
      immutableAttributes: 'text',
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'driver', 'conductorGroup'],
    labels: true,
  },
});
const nodeGroupTemplates = new CrudRoutes({
  one: 'nodeGroupTemplate',
  many: 'nodeGroupTemplates',
  path: '/v1/node-group-templates',
  schema: t.nodeGroupTemplate,
  list: {
    filters: {
      id: 'id',
      name: 'name',
      projectId: 'reference',
      clusterTemplateId: 'openReference',
      ...groupCharacteristics,
      immutableAttributes: 'text',
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'role', 'image', 'count', 'clusterTemplateId'],
    labels: true,
  },
});

const fromNote =
  'Attributes given here take the place of those of `from` as a whole; null leaves one open. What `from` has marked as immutable ' +
  'stays as it is, and stays marked.';

export const clusterTemplateRoutes = {
  list: clusterTemplates.list(),
  get: clusterTemplates.get(),
  history: clusterTemplates.history(),
  diff: clusterTemplates.diff(),
  create: clusterTemplates.create(
    t.clusterTemplateCreate,
    {
      name: 'shop',
      driver: 'fake',
      immutableAttributes: ['driver'],
      nodeGroups: [{ name: 'workers', role: 'worker', flavor: flavorExample, immutableAttributes: ['flavor'] }],
    },
    false,
    fromNote,
  ),
  patch: clusterTemplates.patch(t.clusterTemplatePatch, { labels: { env: 'prod' }, network: null }),
  delete: clusterTemplates.delete(),
};

export const nodeGroupTemplateRoutes = {
  list: nodeGroupTemplates.list(),
  get: nodeGroupTemplates.get(),
  history: nodeGroupTemplates.history(),
  diff: nodeGroupTemplates.diff(),
  create: nodeGroupTemplates.create(
    t.nodeGroupTemplateCreate,
    { name: 'gpu', clusterTemplateId: 'shop', role: 'worker', flavor: flavorExample, maxCount: 10 },
    false,
    fromNote,
  ),
  patch: nodeGroupTemplates.patch(t.nodeGroupTemplatePatch, { clusterTemplateId: null, image: null }),
  delete: nodeGroupTemplates.delete(),
};
