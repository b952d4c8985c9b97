import { RefusedError } from '@stave/contracts';
import { defineResource, NAME_KEY, notFoundError } from '@stave/service-kit';
import { projectFields, ProjectProjection, Projects } from './projects.js';

export const projectResource = defineResource({
  name: 'project',
  description: 'the project',
  projection: ProjectProjection,
  model: ({ model }) => model,
  scope: ({ project }) => project && { projectId: project.id },
  fields: projectFields,
  readModel: { name: 'projects', sorts: [NAME_KEY], filters: [] },
  inject: [Projects],
  connect: (_projection, projects) => ({
    find: async ({ actor }, ref) => {
      const id = await projects.find(actor, ref);
      if (id === undefined) throw new RefusedError(notFoundError('the project'));
      return { id };
    },
  }),
});
