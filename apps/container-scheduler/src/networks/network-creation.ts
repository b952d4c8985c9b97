import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  chooseSubnet,
  createNetwork,
  subnetProblems,
  type ClusterPlacement,
  type ClusterState,
  type NetworkDeclaration,
  type NetworkState,
  type OperationStart,
} from '@stave/domain';
import { nameTaken, Names, type EventContext } from '@stave/service-kit';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** What is given of a network, by a client or by a container. */
export interface NetworkInput {
  readonly name: string;
  readonly driver?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly subnet?: string;
  readonly gateway?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly autoRemove?: boolean;
}

/** A network before it has a subnet. */
export type WantedNetwork = Omit<NetworkDeclaration, 'subnet'> & { readonly subnet?: string };

/** The network as it would be with any subnet, before it has reserved one. */
export const withSomeSubnet = (wanted: WantedNetwork): NetworkDeclaration => ({ subnet: '10.0.0.0/24', ...wanted });

const DEFAULT_DRIVER = 'bridge';

/** Makes networks: their names are unique in the cluster, and their subnets do not overlap there. */
@Injectable()
export class NetworkCreation {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly drivers: ClusterDrivers,
    private readonly names: Names,
  ) {}

  /** Adds the defaults. Throws RefusedError (422) with what the cluster cannot have. */
  wanted(
    cluster: ClusterState,
    { name, driver = DEFAULT_DRIVER, options = {}, ...input }: NetworkInput,
    identity: { readonly id: string; readonly operation?: OperationStart },
  ): WantedNetwork {
    const scope = this.drivers.requireAllowed('network', cluster, { name, driver, options });
    const problems = subnetProblems(input);
    if (problems.length > 0) throw new RefusedError(brokenRules(problems));
    const { id: clusterId, projectId } = cluster.created;
    const { labels = {}, autoRemove = false, subnet, gateway } = input;
    const place = { ...(subnet !== undefined && { subnet }), ...(gateway !== undefined && { gateway }) };
    return { ...identity, name, projectId, clusterId, driver, scope, options, ...place, labels, autoRemove };
  }

  /** Throws RefusedError for a name or subnet that another network has, and appends nothing. */
  async requireFree(wanted: WantedNetwork): Promise<void> {
    const { clusterId, name } = wanted;
    const { attachmentNames, placement } = this.projection;
    if (attachmentNames.idOf('network', clusterId, name) !== undefined) throw nameTaken(name);
    await placement.refresh(clusterId);
    const decision = this.subnetDecision(wanted, placement.get(clusterId));
    if (!decision.ok) throw new RefusedError(decision.refusal);
  }

  /** Reserves name and subnet. Idempotent. Throws RefusedError `name-taken`, `subnet-overlap` or `no-free-subnet`. */
  async reserve(wanted: WantedNetwork, context: EventContext): Promise<NetworkDeclaration> {
    const { id, clusterId, name } = wanted;
    const { networks, placement } = this.projection;
    const owner = { targetId: id, targetStream: networks.stream(id) };
    await this.names.reserve(scopeOfNames(clusterId), name, owner, context);
    let subnet = '';
    await placement.append(
      clusterId,
      state => {
        const decision = this.subnetDecision(wanted, state);
        if (decision.ok) {
          const [event] = decision.events;
          const own = state.ledger.lent.subnetOfNetwork.get(id) ?? '';
          subnet = event?.type === 'SubnetReserved' ? event.data.subnet : own;
        }
        return decision;
      },
      context,
    );
    return { ...wanted, subnet };
  }

  /** Makes a network for a container. Idempotent. Throws RefusedError as `reserve`, and `quota-exceeded`. */
  async create(wanted: WantedNetwork, context: EventContext): Promise<void> {
    const { networks } = this.projection;
    const create = async (): Promise<void> => {
      const declaration = await this.reserve(wanted, context);
      await networks.create(wanted.id, () => createNetwork(declaration), context);
    };
    const planned = createNetwork(withSomeSubnet(wanted));
    await (networks.quota ? networks.quota.creating(wanted.id, planned, context, create) : create());
  }

  /** Returns the network that has the name, also one that this process has not seen yet. */
  async owner(clusterId: string, name: string): Promise<NetworkState | undefined> {
    const owner = await this.names.owner(scopeOfNames(clusterId), name);
    return owner && (await this.projection.networks.load(owner.targetId)).state;
  }

  release({ id, clusterId, name }: NetworkDeclaration, context: EventContext): Promise<void> {
    return this.names.release(scopeOfNames(clusterId), name, id, context);
  }

  private subnetDecision({ id, clusterId, subnet }: WantedNetwork, state: ClusterPlacement) {
    const { clusters, networks } = this.projection;
    const pool = clusters.get(clusterId)?.spec.network.cidr;
    const nameOf = (other: string): string => networks.get(other)?.declared.name ?? other;
    return chooseSubnet(state, { networkId: id, subnet, pool, nameOf });
  }
}

const scopeOfNames = (clusterId: string): string => `${clusterId}|network`;
