import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  clusterWorkRefusal,
  createNetwork,
  deleteNetwork,
  retryNetwork,
  updateNetwork,
  type NetworkChanges,
  type NetworkDeclaration,
  type NetworkState,
  type OperationStart,
} from '@stave/domain';
import { unknownAction, type CommandReply, type RequestIds, type ResourceCommands } from '@stave/service-kit';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { namesOfUsers } from '../scheduling/names-of-users.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { NetworkCreation, withSomeSubnet, type NetworkInput, type WantedNetwork } from './network-creation.js';
import { networkResource } from './network.resource.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'network', verb);

interface Ref {
  readonly id: string;
  readonly clusterId?: string;
}

interface Resolved {
  wanted: WantedNetwork;
  declaration?: NetworkDeclaration;
}

/** Commands on networks. */
@Controller()
export class NetworkController {
  constructor(
    @Inject(networkResource.commands) private readonly commands: ResourceCommands<NetworkState>,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly drivers: ClusterDrivers,
    private readonly creation: NetworkCreation,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<NetworkInput & { readonly clusterId: string }>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.resolve(meta, body, ids),
      check: ({ wanted }) => this.creation.requireFree(wanted),
      scope: ({ wanted }) => wanted,
      before: async (resolved, context) => {
        resolved.declaration = await this.creation.reserve(resolved.wanted, context);
      },
      decide: ({ wanted, declaration = withSomeSubnet(wanted) }) => createNetwork(declaration),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: NetworkChanges }>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.network(meta, body.id, body.clusterId),
      body: body.patch,
      decide: state => updateNetwork(state, body.patch, meta.ifMatch),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.network(meta, body.id, body.clusterId),
      body: { delete: true },
      starts: true,
      decide: (state, ids) => {
        const operation = start('network.delete', ids);
        const users = namesOfUsers(this.projection, 'network', state.declared);
        const reason = 'deleted by request';
        return deleteNetwork(state, { operationId: operation.id, operation, reason, users, ifMatch: meta.ifMatch });
      },
    });
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<Ref & { readonly action: string }>): Promise<CommandReply> {
    if (body.action !== 'retry') throw unknownAction('networks', body.action);
    return this.commands.change(meta, {
      find: () => this.lookup.network(meta, body.id, body.clusterId),
      body,
      starts: true,
      decide: (state, ids) => retryNetwork(state, { operation: start('network.retry', ids), ifMatch: meta.ifMatch }),
    });
  }

  private async resolve(
    meta: RequestMeta,
    { clusterId, ...input }: NetworkInput & { readonly clusterId: string },
    ids: RequestIds,
  ): Promise<Resolved> {
    const { state: cluster } = await this.lookup.cluster(meta, clusterId);
    const refusal = clusterWorkRefusal(cluster);
    if (refusal) throw new RefusedError(refusal);
    this.drivers.requireManaged('network', cluster);
    const identity = { id: ids.resourceId, operation: start('network.create', ids) };
    return { wanted: this.creation.wanted(cluster, input, identity) };
  }
}

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });
