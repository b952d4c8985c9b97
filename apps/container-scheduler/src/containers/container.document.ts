import type { ResourceDocument } from '@stave/contracts';
import type { ContainerState } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { SchedulerModels } from '../scheduler-models.js';

/** What clients see of a container. */
export function containerFields(state: ContainerState): ResourceDocument {
  const { declared, contents, unschedulable } = state;
  if (!declared || !contents) throw new Error('a container without a declaration has no document');
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
    status: state.status,
    ...(state.statusReason === undefined ? {} : { statusReason: state.statusReason }),
    address: state.address ?? null,
    exitCode: state.observed?.exitCode ?? null,
    restarts: state.restarts + (state.observed?.restarts ?? 0),
    generation: state.generation,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

export function containerDocument(
  models: SchedulerModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.containers.entry(id);
  if (!entry?.state.declared) return undefined;
  const { state, position } = entry;
  if (state.deleted) return { _id: id, deleted: true, position };
  return { _id: id, deleted: false, position, ...containerFields(state) };
}
