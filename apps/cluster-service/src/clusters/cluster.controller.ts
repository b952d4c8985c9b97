import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import type { ClusterActionBody } from './cluster-actions.js';
import { ClusterCredentials } from './cluster-credentials.js';
import { ClusterCommands } from './cluster.commands.js';
import { ClusterLookup } from './cluster.lookup.js';
import type { ClusterPatch } from './cluster-patch.js';
import type { ClusterInput } from './cluster-request.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster', verb);

interface Ref {
  readonly id: string;
}

@Controller()
export class ClusterController {
  constructor(
    private readonly commands: ClusterCommands,
    private readonly lookup: ClusterLookup,
    private readonly clusterCredentials: ClusterCredentials,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ClusterInput>): Promise<unknown> {
    return this.commands.create(meta, body);
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: ClusterPatch }>): Promise<unknown> {
    return this.commands.patch(meta, body.id, body.patch);
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref & { readonly force?: boolean }>): Promise<unknown> {
    return this.commands.remove(meta, body.id, body.force ?? false);
  }

  @MessagePattern(on('action'))
  action({ meta, body: { id, ...body } }: ServiceRequest<Ref & ClusterActionBody>): Promise<unknown> {
    return this.commands.action(meta, id, body);
  }

  @MessagePattern(on('credentials'))
  async credentials({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
    const { id, state } = await this.lookup.find(meta, body.id);
    return this.clusterCredentials.of(id, state);
  }
}
