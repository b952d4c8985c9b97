import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { NodeCommands, type NodeActionBody, type NodeRemovalBody } from './node.commands.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'node', verb);

interface Ref {
  readonly id: string;
}

@Controller()
export class NodeController {
  constructor(private readonly commands: NodeCommands) {}

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref & NodeRemovalBody>): Promise<unknown> {
    return this.commands.remove(meta, body.id, body);
  }

  @MessagePattern(on('action'))
  action({ meta, body }: ServiceRequest<Ref & NodeActionBody>): Promise<unknown> {
    return this.commands.action(meta, body.id, body);
  }
}
