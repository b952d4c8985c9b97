import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import type { ContainerChanges } from '@stave/domain';
import { ContainerCalls } from './container-calls.js';
import { ContainerCommands, type ContainerInput } from './container.commands.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'container', verb);

interface Ref {
  readonly id: string;
}

interface LogRequest extends Ref {
  readonly tail?: number;
}

@Controller()
export class ContainerController {
  constructor(
    private readonly commands: ContainerCommands,
    private readonly calls: ContainerCalls,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ContainerInput>): Promise<unknown> {
    return this.commands.create(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: ContainerChanges }>): Promise<unknown> {
    return this.commands.patch(meta, body.id, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    return this.commands.remove(meta, body.id);
  }

  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<Ref & { readonly action: string }>): Promise<unknown> {
    return this.commands.action(meta, body.id, body.action, body);
  }

  @MessagePattern(on('logs'))
  logs({ meta, body }: ServiceRequest<LogRequest>): Promise<unknown> {
    return this.calls.logs(meta, body.id, body.tail);
  }

  @MessagePattern(on('follow-logs'))
  followLogs({ meta, body }: ServiceRequest<LogRequest>): Promise<unknown> {
    return this.calls.followLogs(meta, body.id, body.tail);
  }

  @MessagePattern(on('stats'))
  stats({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    return this.calls.stats(meta, body.id);
  }
}
