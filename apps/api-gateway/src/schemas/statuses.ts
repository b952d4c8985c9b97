import type { ContainerStatus, NodeGroupStatus, NodeStatus, OperationStatus, ShownClusterStatus } from '@stave/domain';
import type { OneOf } from './list-fields.js';

/** Lists every member of a union; a missing member does not compile. */
const all = <T extends string>(known: Readonly<Record<T, true>>): OneOf => ({ oneOf: Object.keys(known) });

export const clusterStatuses = all<ShownClusterStatus>({
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  PAUSED: true,
  DEGRADED: true,
  FAILED: true,
  DELETING: true,
});
export const healths = all<'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'>({ HEALTHY: true, UNHEALTHY: true, UNKNOWN: true });
export const nodeGroupStatuses = all<NodeGroupStatus>({
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  DEGRADED: true,
  DELETING: true,
});
export const nodeStatuses = all<NodeStatus>({
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  FAILED: true,
  DRAINING: true,
  REBOOTING: true,
  UNREACHABLE: true,
  DELETING: true,
});
export const containerStatuses = all<ContainerStatus>({
  CREATING: true,
  ACTIVE: true,
  UPDATING: true,
  STOPPED: true,
  UNSCHEDULABLE: true,
  FAILED: true,
  DELETING: true,
});
export const operationStatuses = all<OperationStatus>({
  PENDING: true,
  RUNNING: true,
  SUCCEEDED: true,
  FAILED: true,
  CANCELLED: true,
});
