import type { ResourceDocument } from '@stave/contracts';
import {
  completeContents,
  contentsFrom,
  omitUndefined,
  revisionOf,
  rolloutDone,
  setCounts,
  setStatusReason,
  type ContainerSetState,
} from '@stave/domain';

/** Returns the fields of a container set. */
export function containerSetFields(state: ContainerSetState): ResourceDocument {
  const { declared, spec, status, rollout, backoffUntil, createdAt, updatedAt, revision } = state;
  const { id, name, projectId, clusterId } = declared;
  const source = revisionOf(state);
  return {
    id,
    name,
    projectId,
    clusterId,
    profileId: source.profileId,
    profileRevision: source.profileRevision,
    overrides: source.overrides,
    contents: completeContents(contentsFrom(source)),
    ...spec,
    status,
    ...omitUndefined({ statusReason: setStatusReason(state) }),
    counts: setCounts(state),
    rollout: rollout
      ? {
          from: rollout.from,
          to: rollout.to,
          status: rollout.status,
          done: rolloutDone(state),
          total: rollout.moves?.size ?? spec.desired,
        }
      : null,
    backoffUntil: backoffUntil ?? null,
    createdAt,
    updatedAt,
    revision,
  };
}
