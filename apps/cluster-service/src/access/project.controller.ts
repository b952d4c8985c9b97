import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { accept, type ProjectCreated, type ProjectState } from '@stave/domain';
import type { CommandReply, ResourceCommands } from '@stave/service-kit';
import { projectResource } from './project.resource.js';
import { Projects } from './projects.js';

@Controller()
export class ProjectController {
  constructor(
    @Inject(projectResource.commands) private readonly commands: ResourceCommands<ProjectState>,
    private readonly projects: Projects,
  ) {}

  @MessagePattern(commandSubject('cluster-service', 'project', 'create'))
  create({ meta, body }: ServiceRequest<{ readonly name: string }>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      resolve: ({ resourceId: id }) => ({ id, name: body.name }),
      scope: ({ id }) => ({ projectId: id }),
      before: (project, context) => this.projects.reserveName(project, context),
      decide: data => accept<ProjectCreated>({ type: 'ProjectCreated', data }),
    });
  }
}
