import type { ResourceDocument } from '@stave/contracts';
import type { ContainerProfileState } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { SchedulerModels } from '../scheduler-models.js';

/** What clients see of a container profile. */
export function profileFields(state: ContainerProfileState): ResourceDocument {
  const { created, spec } = state;
  if (!created || !spec) throw new Error('a container profile that was not created has no document');
  const { id, name, projectId } = created;
  return {
    id,
    name,
    projectId,
    description: spec.description ?? null,
    hostNode: spec.hostNode ?? null,
    hostCluster: spec.hostCluster ?? null,
    ...spec.contents,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

export function profileDocument(
  models: SchedulerModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.profiles.entry(id);
  if (!entry?.state.created) return undefined;
  const { state, position } = entry;
  if (state.deleted) return { _id: id, deleted: true, position };
  return { _id: id, deleted: false, position, ...profileFields(state) };
}
