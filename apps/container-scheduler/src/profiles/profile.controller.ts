import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { ProfileCommands, type ProfileInput, type ProfilePatch } from './profile.commands.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'container-profile', verb);

interface Ref {
  readonly id: string;
}

@Controller()
export class ProfileController {
  constructor(private readonly commands: ProfileCommands) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ProfileInput>): Promise<unknown> {
    return this.commands.create(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: ProfilePatch }>): Promise<unknown> {
    return this.commands.patch(meta, body.id, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    return this.commands.remove(meta, body.id);
  }
}
