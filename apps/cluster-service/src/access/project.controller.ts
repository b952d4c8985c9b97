import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import {
  accept,
  deleteProject,
  omitUndefined,
  setProjectDisabled,
  updateProject,
  type ProjectChanges,
  type ProjectCreated,
  type ProjectState,
} from '@stave/domain';
import { DEFAULT_PROJECT, unknownAction, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { ApiKeys } from './api-keys.js';
import { ProjectContents } from './project-contents.js';
import { projectResource } from './project.resource.js';
import { Projects } from './projects.js';

const on = (verb: string): string => commandSubject('cluster-service', 'project', verb);

interface Ref {
  readonly id: string;
}

type ProjectInput = Omit<ProjectCreated['data'], 'id'>;

@Controller()
export class ProjectController {
  constructor(
    @Inject(projectResource.commands) private readonly commands: ResourceCommands<ProjectState>,
    private readonly projects: Projects,
    private readonly contents: ProjectContents,
    private readonly keys: ApiKeys,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ProjectInput>): Promise<CommandReply> {
    const { name, description, labels } = body;
    return this.commands.create(meta, {
      body,
      resolve: ({ resourceId: id }) => ({ id, name, ...omitUndefined({ description, labels }) }),
      scope: ({ id }) => ({ projectId: id }),
      before: (project, context) => this.projects.reserveName(project, context),
      decide: data => accept<ProjectCreated>({ type: 'ProjectCreated', data }),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: ProjectChanges }>) {
    return this.commands.change(meta, {
      find: () => this.projects.existing(meta, ref),
      body: patch,
      decide: state => updateProject(state, patch, meta.ifMatch),
    });
  }

  @MessagePattern(on('action'))
  act({ meta, body: { id: ref, action } }: ServiceRequest<Ref & { readonly action: string }>): Promise<CommandReply> {
    if (action !== 'disable' && action !== 'enable') throw unknownAction('projects', action);
    return this.commands.change(meta, {
      find: () => this.projects.existing(meta, ref),
      body: { action },
      decide: state => setProjectDisabled(state, action === 'disable', meta.ifMatch),
    });
  }

  /** Deletes an empty project; its keys end, and its name is free. */
  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref } }: ServiceRequest<Ref>): Promise<CommandReply> {
    let contents: readonly string[] = [];
    return this.commands.change(meta, {
      find: () => this.projects.existing(meta, ref),
      body: { delete: true },
      check: async ({ project }) => void (contents = await this.contents.in(project.id, meta)),
      decide: state => deleteProject(state, { contents, kept: DEFAULT_PROJECT, ifMatch: meta.ifMatch }),
      after: async ({ project }, context) => {
        await this.projects.releaseName(project, context);
        return this.keys.revokeOf(project.id, context);
      },
    });
  }
}
