import { closed, exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { mapOf, resource } from './resource.schema.js';
import { clusterStatuses, healths } from './statuses.js';

const counted = { total: p.anyInteger, ready: p.anyInteger };
const nodeCounts = exact({ ...counted, byStatus: mapOf(p.anyInteger), byRole: mapOf(exact(counted)) });

/** The attributes of clusters and their templates, as they are shown. */
export const clusterAttributes = {
  labels: p.labels,
  driver: p.anyString,
  driverVersion: p.anyString,
  conductorGroup: p.anyString,
  network: closed({ driver: p.anyString, cidr: p.anyString, options: p.options }),
  api: closed({ port: p.anyInteger }),
  defaults: closed({ flavor: p.flavor, image: p.anyString, dataVolumeGb: p.anyInteger, zones: p.zones }),
  options: p.options,
};

export const cluster = named(
  'Cluster',
  resource(
    {
      ...clusterAttributes,
      status: oneOf(...clusterStatuses.oneOf),
      health: oneOf(...healths.oneOf),
      healthReasons: listOf(p.anyString),
      endpoints: listOf(exact({ name: p.anyString, url: p.anyString })),
    },
    {
      description: p.anyString,
      statusReason: p.anyString,
      operatedBy: nullable(p.anyString),
      nodeCounts: { ...nodeCounts, description: 'in reads; absent from the response to a command' },
    },
  ),
);

export const credentials = named('Credentials', {
  type: 'object',
  description: 'credentials for a client of the engine, in the form of the driver; never in a list or an event',
});
