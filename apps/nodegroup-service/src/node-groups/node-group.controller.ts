import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import type { NodeGroupPatch } from '@stave/domain';
import { NodeGroupCommands, type GroupActionBody, type GroupRef } from './node-group.commands.js';
import type { NodeGroupInput } from './resolve-node-group-request.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'node-group', verb);

@Controller()
export class NodeGroupController {
  constructor(private readonly commands: NodeGroupCommands) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<NodeGroupInput>): Promise<unknown> {
    return this.commands.create(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<GroupRef & { readonly patch: NodeGroupPatch }>): Promise<unknown> {
    return this.commands.patch(meta, body, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<GroupRef & { readonly force?: boolean }>): Promise<unknown> {
    return this.commands.remove(meta, body, body.force ?? false);
  }

  @MessagePattern(on('action'))
  action({ meta, body }: ServiceRequest<GroupRef & GroupActionBody>): Promise<unknown> {
    return this.commands.action(meta, body, body);
  }
}
