import { RefusedError } from '@stave/contracts';
import { notFound } from '@stave/domain';
import { defineResource, NAME_KEY } from '@stave/service-kit';
import { projectFields, ProjectProjection, Projects } from './projects.js';

export const projectResource = defineResource({
  name: 'project',
  description: 'the project',
  projection: ProjectProjection,
  model: ({ model }) => model,
  scope: ({ project }) => ({ projectId: project.id }),
  fields: projectFields,
  readModel: { name: 'projects', indexedSorts: [NAME_KEY], indexedFilters: [] },
  inject: [Projects],
  connect: (_projection, projects) => ({
    find: async (meta, ref) => {
      const id = await projects.find(meta, ref);
      if (id === undefined) throw new RefusedError(notFound('the project'));
      return { id };
    },
  }),
});
