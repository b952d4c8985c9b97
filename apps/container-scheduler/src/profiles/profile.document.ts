import type { ResourceDocument } from '@stave/contracts';
import { completeContents, type ContainerProfileState } from '@stave/domain';

/** Returns the fields of a container profile. */
export function profileFields({
  created,
  spec,
  createdAt,
  updatedAt,
  revision,
}: ContainerProfileState): ResourceDocument {
  const { id, name, projectId } = created;
  return {
    id,
    name,
    projectId,
    description: spec.description ?? null,
    hostNode: spec.hostNode ?? null,
    hostCluster: spec.hostCluster ?? null,
    ...completeContents(spec.contents),
    createdAt,
    updatedAt,
    revision,
  };
}
