import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import type { TemplatePatch } from '@stave/domain';
import { ClusterTemplateCommands } from './cluster-template.commands.js';
import { ClusterTemplateCreation } from './cluster-template.creation.js';
import type { ClusterTemplateInput } from './plan-template.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster-template', verb);

interface Ref {
  readonly id: string;
}

@Controller()
export class ClusterTemplateController {
  constructor(
    private readonly creation: ClusterTemplateCreation,
    private readonly commands: ClusterTemplateCommands,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ClusterTemplateInput>): Promise<unknown> {
    return this.creation.run(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: TemplatePatch }>): Promise<unknown> {
    return this.commands.patch(meta, body.id, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    return this.commands.remove(meta, body.id);
  }
}
