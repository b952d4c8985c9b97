import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { Projects } from './projects.js';

@Controller()
export class ProjectController {
  constructor(private readonly projects: Projects) {}

  @MessagePattern(commandSubject('cluster-service', 'project', 'create'))
  create({ meta, body }: ServiceRequest<{ readonly name: string }>): Promise<unknown> {
    return this.projects.create(meta, body);
  }
}
