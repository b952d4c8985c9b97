import * as t from '../schemas/template.schemas.js';
import { flavorExample } from './cluster.routes.js';
import { groupFilters } from './node-group.routes.js';
import { resourceRoutes } from './resource.routes.js';

const fromNote =
  'An attribute in this request replaces the attribute of `from` completely; null removes it. Attributes that `from` marks as ' +
  'immutable keep their value and their mark.';

export const clusterTemplateRoutes = resourceRoutes({
  resource: 'cluster-template',
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
  create: {
    example: {
      name: 'shop',
      driver: 'fake',
      immutableAttributes: ['driver'],
      nodeGroups: [{ name: 'workers', role: 'worker', flavor: flavorExample, immutableAttributes: ['flavor'] }],
    },
    startsOperation: false,
    description: fromNote,
  },
  examples: { patch: { labels: { env: 'prod' }, network: null } },
});

export const nodeGroupTemplateRoutes = resourceRoutes({
  resource: 'node-group-template',
  schema: t.nodeGroupTemplate,
  list: {
    filters: {
      id: 'id',
      name: 'name',
      projectId: 'reference',
      clusterTemplateId: 'openReference',
      ...groupFilters,
      immutableAttributes: 'text',
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'role', 'image', 'count', 'clusterTemplateId'],
    labels: true,
  },
  create: {
    example: { name: 'gpu', clusterTemplateId: 'shop', role: 'worker', flavor: flavorExample, maxCount: 10 },
    startsOperation: false,
    description: fromNote,
  },
  examples: { patch: { clusterTemplateId: null, image: null } },
});
