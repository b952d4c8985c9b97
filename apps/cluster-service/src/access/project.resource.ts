import type { ProjectState } from '@stave/domain';
import { defineResource, NAME_KEY } from '@stave/service-kit';
import { projectFields, ProjectProjection, Projects } from './projects.js';

/** The document of a project has no members; a plan shows them where there are any. */
const membersShown = ({ members }: ProjectState): object =>
  members.size === 0 ? {} : { members: Object.fromEntries(members) };

export const projectResource = defineResource({
  name: 'project',
  description: 'the project',
  projection: ProjectProjection,
  model: ({ model }) => model,
  scope: ({ project }) => ({ projectId: project.id }),
  fields: projectFields,
  changesInClosedProjects: true,
  readModel: { name: 'projects', version: 2, indexedSorts: [NAME_KEY], indexedFilters: [] },
  inject: [Projects],
  connect: (_projection, projects) => ({
    find: (meta, ref) => projects.existing(meta, ref),
    plan: { show: state => (state.deleted ? undefined : { ...projectFields(state), ...membersShown(state) }) },
  }),
});
