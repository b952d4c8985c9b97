import type { ResourceDocument } from '@stave/contracts';
import {
  completeContents,
  healthOf,
  omitUndefined,
  shownRelease,
  statusUntilReleased,
  type ContainerState,
} from '@stave/domain';
import { shownPorts } from '../attachments/demand.js';

/** Returns the fields of a container. */
export function containerFields(state: ContainerState): ResourceDocument {
  const { declared, contents, unschedulable, observed, release } = state;
  const waits = release && shownRelease(release);
  const statusReason = release ? `it waits for its release until ${release.until}` : state.statusReason;
  const { id, name, projectId, profileId, clusterId, hostNode, hostCluster } = declared;
  return {
    id,
    name,
    projectId,
    profileId,
    profileRevision: declared.profileRevision ?? null,
    setId: declared.setId ?? null,
    ordinal: declared.ordinal ?? null,
    clusterId,
    nodeId: state.nodeId ?? null,
    hostNode: hostNode ?? null,
    hostCluster: hostCluster ?? null,
    ...completeContents(contents),
    ports: shownPorts(state),
    networkId: state.attached?.network?.id ?? null,
    placement: state.placement ?? (unschedulable ? { ...unschedulable, nodeId: null } : null),
    status: statusUntilReleased(state),
    ...omitUndefined({ statusReason, release: waits }),
    address: state.address ?? null,
    health: healthOf(state),
    exitCode: observed?.exitCode ?? null,
    restarts: state.restarts + (observed?.restarts ?? 0),
    generation: state.generation,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}
