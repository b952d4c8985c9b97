import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ListQuery, type ServiceRequest } from '@stave/contracts';
import { brokenRules, type Role } from '@stave/domain';
import { notFoundError, Queries, type ServiceRuntime } from '@stave/service-kit';
import type { AccessKeys } from './access-keys.js';
import type { Projects } from './projects.js';

const SERVICE = 'cluster-service';
const key = (verb: string): string => commandSubject(SERVICE, 'api-key', verb);
const project = (verb: string): string => commandSubject(SERVICE, 'project', verb);

export function accessController(runtime: ServiceRuntime, keys: AccessKeys, projects: Projects): Type<object> {
  const keyQueries = new Queries(runtime, 'apiKeys', 'the API key');
  const projectQueries = new Queries(runtime, 'projects', 'the project');

  @Controller()
  class AccessController {
    @MessagePattern(key('verify'))
    verify({ body }: ServiceRequest<{ readonly key: string }>): Promise<unknown> {
      return keys.verify(body.key);
    }

    @MessagePattern(key('create'))
    async createKey({
      meta,
      body,
    }: ServiceRequest<{ readonly project: string; readonly role: Role }>): Promise<unknown> {
      const owner = await projects.find(meta.actor, body.project);
      if (owner === undefined)
        throw new RefusedError(
          brokenRules([{ pointer: '/project', code: 'unknown-project', detail: 'the project does not exist' }]),
        );
      return keys.create(meta, { project: owner, role: body.role });
    }

    @MessagePattern(key('list'))
    listKeys({ meta, body }: ServiceRequest<ListQuery>): Promise<unknown> {
      return keyQueries.list(meta, body);
    }

    @MessagePattern(key('get'))
    getKey({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
      return keyQueries.get(meta, body.id);
    }

    @MessagePattern(key('delete'))
    revoke({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
      return keys.revoke(meta, body.id);
    }

    @MessagePattern(project('create'))
    createProject({ meta, body }: ServiceRequest<{ readonly name: string }>): Promise<unknown> {
      return projects.create(meta, body);
    }

    @MessagePattern(project('list'))
    listProjects({ meta, body }: ServiceRequest<ListQuery>): Promise<unknown> {
      return projectQueries.list(meta, body);
    }

    @MessagePattern(project('get'))
    async getProject({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
      const id = await projects.find(meta.actor, body.id);
      if (id === undefined) throw new RefusedError(notFoundError('the project'));
      return projectQueries.get(meta, id);
    }
  }
  return AccessController;
}
