import { Injectable } from '@nestjs/common';
import {
  createVolume,
  type ClusterState,
  type OperationStart,
  type VolumeDeclaration,
  type VolumeState,
} from '@stave/domain';
import { nameTaken, Names, type EventContext } from '@stave/service-kit';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** What is given of a volume, by a client or by a container. */
export interface VolumeInput {
  readonly name: string;
  readonly driver?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly accessMode?: VolumeDeclaration['accessMode'];
  readonly reclaimPolicy?: VolumeDeclaration['reclaimPolicy'];
  readonly labels?: Readonly<Record<string, string>>;
}

const DEFAULT_DRIVER = 'local';

/** Makes volumes, whose names are unique in the cluster. */
@Injectable()
export class VolumeCreation {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly drivers: ClusterDrivers,
    private readonly names: Names,
  ) {}

  /** Adds the defaults. Throws RefusedError (422) with what the cluster cannot have. */
  wanted(
    cluster: ClusterState,
    { name, driver = DEFAULT_DRIVER, options = {}, ...input }: VolumeInput,
    identity: { readonly id: string; readonly operation?: OperationStart },
  ): VolumeDeclaration {
    const scope = this.drivers.requireAllowed('volume', cluster, { name, driver, options });
    const { id: clusterId, projectId } = cluster.created;
    const { accessMode = 'shared', reclaimPolicy = 'retain', labels = {} } = input;
    return { ...identity, name, projectId, clusterId, driver, scope, options, accessMode, reclaimPolicy, labels };
  }

  /** Throws RefusedError `name-taken`, and appends nothing. */
  async requireFree({ clusterId, name }: VolumeDeclaration): Promise<void> {
    if (this.projection.attachmentNames.idOf('volume', clusterId, name) !== undefined) throw nameTaken(name);
  }

  /** Reserves the name. Idempotent. Throws RefusedError `name-taken`. */
  async reserve({ id, clusterId, name }: VolumeDeclaration, context: EventContext): Promise<void> {
    const owner = { targetId: id, targetStream: this.projection.volumes.stream(id) };
    await this.names.reserve(scopeOfNames(clusterId), name, owner, context);
  }

  /** Makes a volume for a container. Idempotent. Throws RefusedError as `reserve`, and `quota-exceeded`. */
  async create(wanted: VolumeDeclaration, context: EventContext): Promise<void> {
    const { volumes } = this.projection;
    const create = async (): Promise<void> => {
      await this.reserve(wanted, context);
      await volumes.create(wanted.id, () => createVolume(wanted), context);
    };
    await (volumes.quota ? volumes.quota.creating(wanted.id, createVolume(wanted), context, create) : create());
  }

  /** Returns the volume that has the name, also one that this process has not seen yet. */
  async owner(clusterId: string, name: string): Promise<VolumeState | undefined> {
    const owner = await this.names.owner(scopeOfNames(clusterId), name);
    return owner && (await this.projection.volumes.load(owner.targetId)).state;
  }

  release({ id, clusterId, name }: VolumeDeclaration, context: EventContext): Promise<void> {
    return this.names.release(scopeOfNames(clusterId), name, id, context);
  }
}

const scopeOfNames = (clusterId: string): string => `${clusterId}|volume`;
