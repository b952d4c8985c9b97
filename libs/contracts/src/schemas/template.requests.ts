import { clusterAttributes as ofClusters, nodeGroupAttributes as ofNodeGroups } from '@stave/domain';
import { clusterAttributes, clusterFrom, nodeGroupAttributes, nodeGroupFrom, omitNodeGroups } from './attributes.js';
import { clusterAttributeChanges } from './cluster.requests.js';
import { closed, immutables, listOf, named, nullable, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitives.js';

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null');

/** In a template null removes any attribute, whatever the value of `from`. */
const allNullable = (attributes: Properties): Properties =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, schema]) => [name, isNullable(schema) ? schema : nullable(schema)]),
  );

const marked = (attributes: readonly string[]): JsonSchema => ({
  ...listOf({ type: 'string', enum: [...attributes] }, { uniqueItems: true }),
  description: 'attributes that a resource created from the template cannot set to another value',
});

const identity = immutables('id', 'name', 'projectId', 'createdAt');

const groupTemplate: Properties = {
  name: p.name,
  ...allNullable(nodeGroupAttributes),
  from: nodeGroupFrom,
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
    ...allNullable(clusterAttributes),
    from: clusterFrom,
    nodeGroups: listOf(named('NodeGroupTemplateEntry', closed(groupTemplate)), { maxItems: 100 }),
    omitNodeGroups,
    immutableAttributes: marked(ofClusters),
  }),
);

const clusterTemplatePatch = named(
  'ClusterTemplatePatch',
  closed({
    ...clusterAttributeChanges,
    driver: nullable(p.driverName),
    driverVersion: nullable(p.text(63, 1)),
    immutableAttributes: nullable(marked(ofClusters)),
    ...identity,
    ...immutables('nodeGroups', 'nodeGroupTemplates', 'locked'),
  }),
);

const nodeGroupTemplatePatch = named(
  'NodeGroupTemplatePatch',
  closed({
    ...allNullable(nodeGroupAttributes),
    flavor: nullable(p.flavorChanges),
    labels: nullable(p.labelChanges),
    updateStrategy: nullable(p.updateStrategyChanges),
    immutableAttributes: nullable(marked(ofNodeGroups)),
    clusterTemplateId,
    ...identity,
    ...immutables('locked'),
  }),
);

const noBody = closed({});

export const clusterTemplateRequests = { create: clusterTemplateCreate, patch: clusterTemplatePatch, delete: noBody };

export const nodeGroupTemplateRequests = {
  create: nodeGroupTemplateCreate,
  patch: nodeGroupTemplatePatch,
  delete: noBody,
};
