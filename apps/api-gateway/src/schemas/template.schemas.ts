import { exact, listOf, named, nullable, primitives as p } from '@stave/contracts/schemas';
import { clusterAttributes } from './cluster.schemas.js';
import { nodeGroupAttributes } from './node-group.schemas.js';
import { mapOf, reference, resource } from './resource.schema.js';

const marks = {
  immutableAttributes: listOf(p.anyString),
  locked: {
    ...mapOf(reference({ type: p.anyString })),
    description: 'attributes that the source of the template has marked as immutable, with that source',
  },
};
const warnings = {
  ...listOf(exact({ code: p.anyString, detail: p.anyString })),
  description: 'in the response to a command that was accepted and needs attention',
};

export const clusterTemplate = named(
  'ClusterTemplate',
  resource(marks, {
    ...clusterAttributes,
    description: p.anyString,
    nodeGroupTemplates: listOf(reference()),
    warnings,
  }),
);

export const nodeGroupTemplate = named(
  'NodeGroupTemplate',
  resource({ ...marks, clusterTemplateId: nullable(p.anyString) }, { ...nodeGroupAttributes, warnings }),
);
