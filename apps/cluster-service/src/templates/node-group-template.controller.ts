import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { GroupTemplateCommands, type GroupTemplatePatch } from './group-template.commands.js';
import { GroupTemplateCreation } from './group-template.creation.js';
import type { GroupTemplateInput } from './plan-template.js';

const on = (verb: string): string => commandSubject('cluster-service', 'node-group-template', verb);

interface Ref {
  readonly id: string;
}

@Controller()
export class NodeGroupTemplateController {
  constructor(
    private readonly creation: GroupTemplateCreation,
    private readonly commands: GroupTemplateCommands,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<GroupTemplateInput>): Promise<unknown> {
    return this.creation.run(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: GroupTemplatePatch }>): Promise<unknown> {
    return this.commands.patch(meta, body.id, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    return this.commands.remove(meta, body.id);
  }
}
