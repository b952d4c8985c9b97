import type { ResourceDocument } from '@stave/contracts';
import { omitUndefined, type ContainerState } from '@stave/domain';

/** Returns the fields of a container. Throws Error for a container that was never created. */
export function containerFields(state: ContainerState): ResourceDocument {
  const { declared, contents, unschedulable, observed, status, statusReason } = state;
  if (!declared || !contents) throw new Error('a container that was never created has no document');
  const { id, name, projectId, profileId, clusterId, hostNode, hostCluster } = declared;
  return {
    id,
    name,
    projectId,
    profileId,
    clusterId,
    nodeId: state.nodeId ?? null,
    hostNode: hostNode ?? null,
    hostCluster: hostCluster ?? null,
    ...contents,
    placement: state.placement ?? (unschedulable ? { ...unschedulable, nodeId: null } : null),
    status,
    ...omitUndefined({ statusReason }),
    address: state.address ?? null,
    exitCode: observed?.exitCode ?? null,
    restarts: state.restarts + (observed?.restarts ?? 0),
    generation: state.generation,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}
