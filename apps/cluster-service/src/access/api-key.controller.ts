import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceRequest } from '@stave/contracts';
import { brokenRules, type Role } from '@stave/domain';
import { ApiKeys } from './api-keys.js';
import { Projects } from './projects.js';

const on = (verb: string): string => commandSubject('cluster-service', 'api-key', verb);

@Controller()
export class ApiKeyController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly projects: Projects,
  ) {}

  @MessagePattern(on('verify'))
  verify({ body }: ServiceRequest<{ readonly key: string }>): Promise<unknown> {
    return this.keys.verify(body.key);
  }

  @MessagePattern(on('create'))
  async create({ meta, body }: ServiceRequest<{ readonly project: string; readonly role: Role }>): Promise<unknown> {
    const project = await this.projects.find(meta.actor, body.project);
    if (project !== undefined) return this.keys.create(meta, { project, role: body.role });
    const detail = 'the project does not exist';
    throw new RefusedError(brokenRules([{ pointer: '/project', code: 'unknown-project', detail }]));
  }

  @MessagePattern(on('delete'))
  revoke({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
    return this.keys.revoke(meta, body.id);
  }
}
