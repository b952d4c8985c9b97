import type { Type } from '@nestjs/common';
import { historyController, notFoundError, ownStreamContext, refused, type ServiceRuntime } from '@stave/service-kit';
import { projectDocument, projectModel, type Projects } from './projects.js';

/** Past states of projects. */
export const projectHistory = (runtime: ServiceRuntime, projects: Projects): Type<object> =>
  historyController('cluster-service', 'project', runtime, {
    readModel: 'projects',
    what: 'the project',
    model: projects.model,
    home: ({ project }) => project && { projectId: project.id },
    world: () => ownStreamContext(projectModel(runtime.events), projectDocument),
    find: async ({ actor }, ref) => {
      const id = await projects.find(actor, ref);
      return id === undefined ? refused(notFoundError('the project')) : { id };
    },
  });
