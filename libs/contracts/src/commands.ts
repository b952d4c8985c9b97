import type { PublishedEvents } from './published-events.js';
import type { ServiceName } from './subjects.js';

/**
 * Every command and query that the gateway sends: `<resource>.<verb>` → owning service. Bodies:
 * get `{id}` (id or name; `clusterId` (id or name) beside it where the path has the cluster) → ResourceDocument;
 * list ListQuery → Page; create the request body → CommandResult; patch `{id, patch}`; delete `{id, ...query}`;
 * action `{id, action, ...body}` → CommandResult. Node groups: create `{clusterId, ...body}`.
 */
export const owners = {
  cluster: 'cluster-service',
  'cluster-template': 'cluster-service',
  'node-group-template': 'cluster-service',
  project: 'cluster-service',
  'api-key': 'cluster-service',
  conductor: 'cluster-service',
  driver: 'cluster-service',
  ring: 'cluster-service',
  'conductor-group': 'cluster-service',
  'node-group': 'nodegroup-service',
  node: 'nodegroup-service',
  machine: 'nodegroup-service',
  'container-profile': 'container-scheduler',
  container: 'container-scheduler',
  'container-set': 'container-scheduler',
  policy: 'container-scheduler',
  network: 'container-scheduler',
  volume: 'container-scheduler',
} as const satisfies Record<string, ServiceName>;

export type ResourceName = keyof typeof owners;

/** The service that decides on the streams of each category, and appends to them. Streams `orphan` have several writers. */
export const streamOwners = {
  cluster: 'cluster-service',
  clusterTemplate: 'cluster-service',
  nodeGroupTemplate: 'cluster-service',
  project: 'cluster-service',
  apiKey: 'cluster-service',
  quota: 'cluster-service',
  conductorRing: 'cluster-service',
  nodeGroup: 'nodegroup-service',
  node: 'nodegroup-service',
  machine: 'nodegroup-service',
  clusterGroups: 'nodegroup-service',
  containerProfile: 'container-scheduler',
  container: 'container-scheduler',
  containerSet: 'container-scheduler',
  network: 'container-scheduler',
  volume: 'container-scheduler',
  placement: 'container-scheduler',
  policy: 'container-scheduler',
  policyBindings: 'container-scheduler',
} as const satisfies Record<
  Exclude<keyof PublishedEvents, 'orphan'> | 'apiKey' | 'clusterGroups' | 'quota',
  ServiceName
>;

/** The first letter of an operation id names the service that owns the operation. */
export const operationPrefixes = {
  c: 'cluster-service',
  n: 'nodegroup-service',
  s: 'container-scheduler',
} as const satisfies Record<string, ServiceName>;

/** Returns the service that accepted an operation; undefined when the id is not an operation id. */
export function operationOwner(operationId: string): ServiceName | undefined {
  const prefixes: Readonly<Record<string, ServiceName>> = operationPrefixes;
  return operationId[1] === '-' ? prefixes[operationId.slice(0, 1)] : undefined;
}
