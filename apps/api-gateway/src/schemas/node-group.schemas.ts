import { closed, exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { resource } from './resource.schema.js';
import { nodeGroupStatuses, nodeStatuses } from './statuses.js';

/** The attributes of node groups and their templates, as they are shown. */
export const nodeGroupAttributes = {
  role: p.role,
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
  options: p.options,
  updateStrategy: p.updateStrategy,
};
const { maxCount, image, dataVolumeGb, ...attributes } = nodeGroupAttributes;
const inReads = { ...p.anyInteger, description: 'in reads; absent from the response to a command' };

export const nodeGroup = named(
  'NodeGroup',
  resource(
    { clusterId: p.anyString, ...attributes, status: oneOf(...nodeGroupStatuses.oneOf) },
    {
      ...{ maxCount, image, dataVolumeGb },
      statusReason: p.anyString,
      nodesReady: inReads,
      nodesTotal: inReads,
      nodesOutdated: inReads,
    },
  ),
);

const sample = { at: p.dateTime, cpuCores: p.anyNumber, memoryMb: p.anyNumber };
const history = { ...listOf(exact(sample)), description: 'in a read of one node' };

export const node = named(
  'Node',
  resource(
    {
      nodeGroupId: p.anyString,
      clusterId: p.anyString,
      ordinal: p.anyInteger,
      role: p.role,
      flavor: p.flavor,
      labels: p.labels,
      taints: p.taints,
      addresses: listOf(p.anyString),
      status: oneOf(...nodeStatuses.oneOf),
      schedulable: p.anyBoolean,
      attempts: p.anyInteger,
      generation: p.anyInteger,
    },
    {
      zone: p.anyString,
      region: p.anyString,
      image: p.anyString,
      infrastructureId: p.anyString,
      capacity: closed({ cpus: p.anyNumber, memoryMb: p.anyNumber }),
      engineVersion: p.anyString,
      statusReason: p.anyString,
      conductorGroup: p.anyString,
      utilisation: { anyOf: [{ const: 'unknown' }, exact(sample, { history })] },
    },
  ),
);
