import { exact, listOf, named, nullable, primitives as p } from '@stave/contracts/schemas';
import { labelledList } from '../schemas/list-fields.js';
import { mapOf, resource } from '../schemas/resource.schema.js';
import { clusterAttributes, clusterFilters, flavorExample, shownDefaults } from './cluster.routes.js';
import { groupFilters, nodeGroupAttributes } from './node-group.routes.js';
import { resourceRoutes } from './resource.routes.js';

const marks = {
  immutableAttributes: listOf(p.anyString),
  locked: {
    ...mapOf(exact(p.texts('type', 'id', 'name'))),
    description: 'attributes that the source of the template has marked as immutable, with that source',
  },
};
const warnings = {
  ...listOf(exact(p.texts('code', 'detail'))),
  description: 'in the response to a command that was accepted and needs attention',
};
const nodeGroupTemplates = listOf(exact(p.texts('id', 'name')));

const description =
  'An attribute in this request replaces the attribute of `from` completely; null removes it. Attributes that `from` marks as ' +
  'immutable keep their value and their mark.';

const clusterTemplateRoutes = resourceRoutes({
  resource: 'cluster-template',
  schema: named(
    'ClusterTemplate',
    resource(marks, {
      ...clusterAttributes,
      defaults: shownDefaults(p.wantedFlavor),
      description: p.anyString,
      nodeGroupTemplates,
      warnings,
    }),
  ),
  list: labelledList({ ...clusterFilters, immutableAttributes: 'text' }, ['driver', 'conductorGroup']),
  create: {
    example: {
      name: 'shop',
      driver: 'fake',
      immutableAttributes: ['driver'],
      nodeGroups: [{ name: 'workers', role: 'worker', flavor: flavorExample, immutableAttributes: ['flavor'] }],
    },
    startsOperation: false,
    description,
  },
  examples: { patch: { labels: { env: 'prod' }, network: null } },
});

const nodeGroupTemplateRoutes = resourceRoutes({
  resource: 'node-group-template',
  schema: named(
    'NodeGroupTemplate',
    resource(
      { ...marks, clusterTemplateId: nullable(p.anyString) },
      { ...nodeGroupAttributes, flavor: p.wantedFlavor, warnings },
    ),
  ),
  list: labelledList({ clusterTemplateId: 'optionalReference', ...groupFilters, immutableAttributes: 'text' }, [
    'role',
    'image',
    'count',
    'clusterTemplateId',
  ]),
  create: {
    example: { name: 'gpu', clusterTemplateId: 'shop', role: 'worker', flavor: flavorExample, maxCount: 10 },
    startsOperation: false,
    description,
  },
  examples: { patch: { clusterTemplateId: null, image: null } },
});

export const templateRoutes = [...clusterTemplateRoutes, ...nodeGroupTemplateRoutes];
