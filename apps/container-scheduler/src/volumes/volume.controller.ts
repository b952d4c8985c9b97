import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  clusterWorkRefusal,
  createVolume,
  deleteVolume,
  detachFromContainers,
  detachVolume,
  evictContainer,
  rebindRefusal,
  rebindVolume,
  retryVolume,
  unbindVolume,
  updateVolume,
  usersOf,
  type OperationStart,
  type VolumeChanges,
  type VolumeDeclaration,
  type VolumeState,
} from '@stave/domain';
import {
  unknownAction,
  type CommandReply,
  type EventContext,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { namesOfUsers } from '../scheduling/names-of-users.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { VolumeCreation, type VolumeInput } from './volume-creation.js';
import { volumeResource } from './volume.resource.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'volume', verb);

interface Ref {
  readonly id: string;
  readonly clusterId?: string;
}

interface Action extends Ref {
  readonly action: string;
  readonly force?: boolean;
}

/** Commands on volumes. */
@Controller()
export class VolumeController {
  constructor(
    @Inject(volumeResource.commands) private readonly commands: ResourceCommands<VolumeState>,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly drivers: ClusterDrivers,
    private readonly creation: VolumeCreation,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<VolumeInput & { readonly clusterId: string }>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.resolve(meta, body, ids),
      check: wanted => this.creation.requireFree(wanted),
      scope: wanted => wanted,
      before: (wanted, context) => this.creation.reserve(wanted, context),
      decide: createVolume,
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<Ref & { readonly patch: VolumeChanges }>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.volume(meta, body.id, body.clusterId),
      body: body.patch,
      decide: state => updateVolume(state, body.patch, meta.ifMatch),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.volume(meta, body.id, body.clusterId),
      body: { delete: true },
      starts: true,
      decide: (state, ids) => {
        const operation = start('volume.delete', ids);
        const users = namesOfUsers(this.projection, 'volume', state.declared);
        const reason = 'deleted by request';
        return deleteVolume(state, { operationId: operation.id, operation, reason, users, ifMatch: meta.ifMatch });
      },
    });
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<Action>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const find = () => this.lookup.volume(meta, body.id, body.clusterId);
    switch (body.action) {
      case 'retry':
        return this.commands.change(meta, {
          find,
          body,
          starts: true,
          decide: (state, ids) => retryVolume(state, { operation: start('volume.retry', ids), ifMatch }),
        });
      case 'rebind':
        return this.commands.change(meta, {
          find,
          body,
          check: state => {
            const refusal = rebindRefusal(state);
            if (refusal) throw new RefusedError(refusal);
          },
          decide: state => rebindVolume(state, { users: this.placedUsers(state), ifMatch }),
          before: (state, context) => this.unbind(state, context),
        });
      case 'detach':
        return this.commands.change(meta, {
          find,
          body,
          decide: state =>
            detachFromContainers(state, { force: body.force ?? false, users: this.placedUsers(state), ifMatch }),
          before: (state, context) => this.detach(state, context),
        });
      default:
        throw unknownAction('volumes', body.action);
    }
  }

  private async unbind({ declared }: VolumeState, context: EventContext): Promise<void> {
    const { id, clusterId } = declared;
    const { placement } = this.projection;
    await placement.append(clusterId, ledger => unbindVolume(ledger, id, other => this.nameOf(other)), context);
  }

  /** Takes the volume from its containers in the ledger, and makes them leave their nodes: they must not run without it. */
  private async detach({ declared }: VolumeState, context: EventContext): Promise<void> {
    const { id, clusterId, name } = declared;
    const { placement, containers } = this.projection;
    const users = usersOf(placement.get(clusterId).ledger.lent, id);
    await placement.append(clusterId, ledger => detachVolume(ledger, id), context);
    const reason = `the volume ${name} was taken from it`;
    for (const user of users) {
      const nodeId = containers.get(user)?.nodeId;
      if (nodeId !== undefined) await containers.execute(user, s => evictContainer(s, { nodeId, reason }), context);
    }
  }

  /** Returns the names of the containers that have the volume on a node. */
  private placedUsers({ declared: { id, clusterId } }: VolumeState): readonly string[] {
    return usersOf(this.projection.placement.get(clusterId).ledger.lent, id).map(user => this.nameOf(user));
  }

  private nameOf(containerId: string): string {
    return this.projection.containers.get(containerId)?.declared.name ?? containerId;
  }

  private async resolve(
    meta: RequestMeta,
    { clusterId, ...input }: VolumeInput & { readonly clusterId: string },
    ids: RequestIds,
  ): Promise<VolumeDeclaration> {
    const { state: cluster } = await this.lookup.cluster(meta, clusterId);
    const refusal = clusterWorkRefusal(cluster);
    if (refusal) throw new RefusedError(refusal);
    this.drivers.requireManaged('volume', cluster);
    return this.creation.wanted(cluster, input, {
      id: ids.resourceId,
      operation: start('volume.create', ids),
    });
  }
}

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });
