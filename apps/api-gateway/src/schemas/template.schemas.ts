import { clusterAttributes as ofClusters, nodeGroupAttributes as ofNodeGroups } from '@stave/domain';
import {
  clusterAttributes,
  clusterFrom,
  nodeGroupAttributes,
  nodeGroupFrom,
  omitNodeGroups,
} from './attribute.schemas.js';
import { clusterAttributeChanges } from './cluster-patch.schemas.js';
import { closed, immutable, listOf, named, nullable, open, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitive.schemas.js';
import { resource } from './resource.schema.js';

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null');

/** In a template every attribute may be left open, whatever `from` says. */
const allOpenable = (attributes: Properties): Properties =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, schema]) => [name, isNullable(schema) ? schema : nullable(schema)]),
  );

const marks = (attributes: readonly string[]): JsonSchema => ({
  ...listOf({ type: 'string', enum: [...attributes] }, { uniqueItems: true }),
  description: 'whoever creates from the template may not set these to anything else',
});

const identity = { id: immutable, name: immutable, projectId: immutable, createdAt: immutable };

const groupTemplate: Properties = {
  name: p.name,
  ...allOpenable(nodeGroupAttributes),
  from: nodeGroupFrom,
  immutableAttributes: marks(ofNodeGroups),
};

const clusterTemplateId: JsonSchema = {
  ...nullable(p.reference),
  description: 'the cluster template that it stands in, by id or name; null: none',
};

export const nodeGroupTemplateCreate = named(
  'NodeGroupTemplateCreate',
  closed({ ...groupTemplate, clusterTemplateId }),
);

export const clusterTemplateCreate = named(
  'ClusterTemplateCreate',
  closed({
    name: p.name,
    ...allOpenable(clusterAttributes),
    from: clusterFrom,
    nodeGroups: listOf(named('NodeGroupTemplateEntry', closed(groupTemplate)), { maxItems: 100 }),
    omitNodeGroups,
    immutableAttributes: marks(ofClusters),
  }),
);

export const clusterTemplatePatch = named(
  'ClusterTemplatePatch',
  closed({
    ...clusterAttributeChanges,
    driver: nullable(p.driverName),
    driverVersion: nullable(p.text(63, 1)),
    immutableAttributes: nullable(marks(ofClusters)),
    ...identity,
    nodeGroups: immutable,
    nodeGroupTemplates: immutable,
    locked: immutable,
  }),
);

export const nodeGroupTemplatePatch = named(
  'NodeGroupTemplatePatch',
  closed({
    ...allOpenable(nodeGroupAttributes),
    flavor: nullable(p.flavorChanges),
    labels: nullable(p.labelChanges),
    updateStrategy: nullable(p.updateStrategyChanges),
    immutableAttributes: nullable(marks(ofNodeGroups)),
    clusterTemplateId,
    ...identity,
    locked: immutable,
  }),
);

const reference = open({ id: p.anyString, name: p.anyString });
const shown: Properties = {
  immutableAttributes: listOf(p.anyString),
  locked: {
    type: 'object',
    additionalProperties: open({ type: p.anyString, id: p.anyString, name: p.anyString }),
    description: 'attributes that what it was made from has marked, and who: they stay as they are',
  },
  warnings: {
    ...listOf(open({ code: p.anyString, detail: p.anyString })),
    description: 'in the answer to a command that was accepted and is worth a look',
  },
};

export const clusterTemplate = named(
  'ClusterTemplate',
  resource({
    description: p.anyString,
    labels: p.labels,
    driver: p.anyString,
    driverVersion: p.anyString,
    conductorGroup: p.anyString,
    network: p.anyObject,
    api: p.anyObject,
    defaults: p.anyObject,
    options: p.anyObject,
    nodeGroupTemplates: listOf(reference),
    ...shown,
  }),
);

export const nodeGroupTemplate = named(
  'NodeGroupTemplate',
  resource({
    clusterTemplateId: nullable(p.anyString),
    role: p.anyString,
    count: p.anyInteger,
    minCount: p.anyInteger,
    maxCount: p.anyInteger,
    flavor: p.flavor,
    image: p.anyString,
    dataVolumeGb: p.anyInteger,
    zones: p.zones,
    labels: p.labels,
    taints: p.taints,
    conductorGroup: nullable(p.anyString),
    options: p.anyObject,
    updateStrategy: p.updateStrategy,
    ...shown,
  }),
);
