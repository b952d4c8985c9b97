import { clusterAttributes as ofClusters, nodeGroupAttributes as ofNodeGroups } from '@stave/domain';
import * as a from './attributes.js';
import { closed, immutables, listOf, named, noBody, nullable, removable, type JsonSchema } from './json-schema.js';
import * as p from './primitives.js';

const marked = (attributes: readonly string[]): JsonSchema => ({
  ...listOf({ type: 'string', enum: [...attributes] }, { uniqueItems: true }),
  description: 'attributes that a resource created from the template cannot set to another value',
});

const identity = immutables('id', 'name', 'projectId', 'createdAt');

/** In a template null removes any attribute, whatever the value of `from`. */
const groupTemplate = {
  name: p.name,
  ...removable(a.nodeGroupAttributes),
  from: a.nodeGroupFrom,
  immutableAttributes: marked(ofNodeGroups),
};

const clusterTemplateId: JsonSchema = {
  ...nullable(p.reference),
  description: 'the cluster template that the template belongs to, by id or name; null: none',
};

const nodeGroupTemplateCreate = named('NodeGroupTemplateCreate', closed({ ...groupTemplate, clusterTemplateId }));

const clusterTemplateCreate = named(
  'ClusterTemplateCreate',
  closed({
    name: p.name,
    ...removable(a.clusterAttributes),
    from: a.clusterFrom,
    nodeGroups: listOf(named('NodeGroupTemplateEntry', closed(groupTemplate)), { maxItems: 100 }),
    omitNodeGroups: a.omitNodeGroups,
    immutableAttributes: marked(ofClusters),
  }),
);

const clusterTemplatePatch = named(
  'ClusterTemplatePatch',
  closed({
    ...a.clusterChanges,
    immutableAttributes: nullable(marked(ofClusters)),
    ...identity,
    ...immutables('nodeGroups', 'nodeGroupTemplates', 'locked'),
  }),
);

const nodeGroupTemplatePatch = named(
  'NodeGroupTemplatePatch',
  closed({
    ...a.nodeGroupChanges,
    immutableAttributes: nullable(marked(ofNodeGroups)),
    clusterTemplateId,
    ...identity,
    ...immutables('locked'),
  }),
);

export const clusterTemplateRequests = { create: clusterTemplateCreate, patch: clusterTemplatePatch, delete: noBody };

export const nodeGroupTemplateRequests = {
  create: nodeGroupTemplateCreate,
  patch: nodeGroupTemplatePatch,
  delete: noBody,
};
