import type { ResourceDocument } from '@stave/contracts';
import { omitUndefined, type VolumeState } from '@stave/domain';

/** Returns the fields of a volume. */
export function volumeFields(state: VolumeState): ResourceDocument {
  const { declared, labels, reclaimPolicy, status, statusReason, nodeId, createdAt, updatedAt, revision } = state;
  const { id, name, projectId, clusterId, driver, scope, options, accessMode } = declared;
  return {
    id,
    name,
    projectId,
    clusterId,
    driver,
    scope,
    options,
    accessMode,
    reclaimPolicy,
    labels,
    nodeId: nodeId ?? null,
    status,
    ...omitUndefined({ statusReason }),
    createdAt,
    updatedAt,
    revision,
  };
}
