import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RefusedError, type FieldProblem } from '@stave/contracts';
import {
  isHostAddress,
  subnetOf,
  type AttachmentKind,
  type ClusterState,
  type ContainerContents,
  type NetworkState,
  type VolumeState,
} from '@stave/domain';
import type { EventContext } from '@stave/service-kit';
import { NetworkCreation, type NetworkInput } from '../networks/network-creation.js';
import { mismatches, requireNone, type GivenMember } from '../scheduling/attachment-mismatch.js';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { VolumeCreation } from '../volumes/volume-creation.js';

type Network = NonNullable<ContainerContents['network']>;
type Volume = ContainerContents['volumes'][number];

/** Makes the ids of networks and volumes. */
export type NewId = (kind: AttachmentKind, index: number) => string;

/** The networks and volumes that containers name: what exists must agree with them, and what does not is made before them. */
@Injectable()
export class ContainerAttachments {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly drivers: ClusterDrivers,
    private readonly networks: NetworkCreation,
    private readonly volumes: VolumeCreation,
  ) {}

  /** Returns which of them are resources in the cluster. */
  managed(cluster: ClusterState): readonly AttachmentKind[] {
    return (['network', 'volume'] as const).filter(kind => this.drivers.manages(kind, cluster));
  }

  /**
   * Throws RefusedError: 422 with every member that an existing network or volume contradicts (`network-mismatch`, `volume-mismatch`), and with
   * what cannot be made; 409 `address-taken`. Pointers name the members of the container.
   */
  check(cluster: ClusterState, { network, volumes }: ContainerContents, manages: readonly AttachmentKind[]): void {
    const problems: FieldProblem[] = [];
    if (network && manages.includes('network')) problems.push(...this.networkProblems(cluster, network));
    if (manages.includes('volume'))
      volumes.forEach((volume, i) => problems.push(...this.volumeProblems(cluster, volume, `/volumes/${i}`)));
    requireNone(problems);
    if (network?.ipv4 !== undefined && manages.includes('network')) this.requireFreeAddress(cluster, network);
  }

  /** Returns how many of them do not exist and are made before the container. */
  missing(
    { created: { id: clusterId } }: ClusterState,
    { network, volumes }: ContainerContents,
    manages: readonly AttachmentKind[],
  ): { readonly networks: number; readonly volumes: number } {
    const isMissing = (kind: AttachmentKind, name: string): boolean =>
      manages.includes(kind) && this.projection.attachmentNames.idOf(kind, clusterId, name) === undefined;
    return {
      networks: network && isMissing('network', network.name) ? 1 : 0,
      volumes: volumes.filter(({ name }) => isMissing('volume', name)).length,
    };
  }

  /** Makes what does not exist. Idempotent. Throws RefusedError where another request made it at the same time, and differently. */
  async ensure(
    cluster: ClusterState,
    { network, volumes }: ContainerContents,
    manages: readonly AttachmentKind[],
    context: EventContext,
    newId: NewId,
  ): Promise<void> {
    if (network && manages.includes('network')) await this.ensureNetwork(cluster, network, context, newId);
    if (!manages.includes('volume')) return;
    for (const [index, volume] of volumes.entries()) await this.ensureVolume(cluster, volume, context, newId, index);
  }

  private async ensureNetwork(cluster: ClusterState, network: Network, context: EventContext, newId: NewId) {
    const { id: clusterId } = cluster.created;
    if (this.projection.attachmentNames.idOf('network', clusterId, network.name) !== undefined) return;
    const wanted = this.networks.wanted(cluster, networkInput(network), { id: newId('network', 0) });
    try {
      await this.networks.create(wanted, context);
    } catch (error) {
      const state = await madeMeanwhile(error, () => this.networks.owner(clusterId, network.name));
      requireNone(networkMismatches(network, state));
    }
  }

  private async ensureVolume(
    cluster: ClusterState,
    volume: Volume,
    context: EventContext,
    newId: NewId,
    index: number,
  ): Promise<void> {
    const { id: clusterId } = cluster.created;
    if (this.projection.attachmentNames.idOf('volume', clusterId, volume.name) !== undefined) return;
    const { name, driver, options, accessMode, reclaimPolicy } = volume;
    const input = { name, ...defined({ driver, options, accessMode, reclaimPolicy }) };
    const wanted = this.volumes.wanted(cluster, input, { id: newId('volume', index) });
    try {
      await this.volumes.create(wanted, context);
    } catch (error) {
      const state = await madeMeanwhile(error, () => this.volumes.owner(clusterId, name));
      requireNone(volumeMismatches(volume, state, `/volumes/${index}`));
    }
  }

  private networkProblems(cluster: ClusterState, network: Network): readonly FieldProblem[] {
    const { attachmentNames, networks } = this.projection;
    const id = attachmentNames.idOf('network', cluster.created.id, network.name);
    const existing = id === undefined ? undefined : networks.get(id);
    const input = networkInput(network);
    const problems = existing
      ? networkMismatches(network, existing)
      : problemsOf('/network', () => this.networks.wanted(cluster, input, { id: '' }));
    const { subnet = input.subnet, gateway = input.gateway } = existing?.declared ?? {};
    return [...problems, ...addressProblems(network.ipv4, subnet, gateway)];
  }

  private volumeProblems(cluster: ClusterState, volume: Volume, pointer: string): readonly FieldProblem[] {
    const { attachmentNames, volumes } = this.projection;
    const id = attachmentNames.idOf('volume', cluster.created.id, volume.name);
    const existing = id === undefined ? undefined : volumes.get(id);
    if (existing) return volumeMismatches(volume, existing, pointer);
    const { name, driver, options } = volume;
    return problemsOf(pointer, () =>
      this.volumes.wanted(cluster, { name, ...defined({ driver, options }) }, { id: '' }),
    );
  }

  private requireFreeAddress(cluster: ClusterState, { name, ipv4 = '' }: Network): void {
    const { attachmentNames, placement, containers } = this.projection;
    const { id: clusterId } = cluster.created;
    const id = attachmentNames.idOf('network', clusterId, name) ?? '';
    const holder = placement.known(clusterId)?.ledger.lent.addresses.get(`${id}  ${ipv4}`);
    const container = containers.get(holder ?? '');
    // one that is being deleted gives it back
    if (!container || container.deleting || container.deleted) return;
    const detail = `the address ${ipv4} is held by ${container.declared.name}`;
    const errors = [{ pointer: '/network/ipv4', code: 'address-taken', detail }];
    throw new RefusedError({ code: 'address-taken', kind: 'conflict', detail, errors });
  }
}

const LOOKS = 50;
const LOOK_MS = 20;

/** Returns what another request has made under the same name. Throws the error where it is another one, or where nothing appears. */
async function madeMeanwhile<S extends { readonly deleted: boolean }>(
  error: unknown,
  owner: () => Promise<S | undefined>,
): Promise<S> {
  const code = error instanceof RefusedError ? error.error.code : '';
  if (code !== 'name-taken' && code !== 'creation-abandoned') throw error;
  for (let look = 0; look < LOOKS; look += 1) {
    const state = await owner();
    if (state && !state.deleted) return state;
    await pause(LOOK_MS);
  }
  throw error;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Returns the network as a request for it: the options `subnet` and `gateway` are members of their own there. */
function networkInput({ name, driver, options = {} }: Network): NetworkInput {
  const { subnet, gateway, ...rest } = options;
  const place = { ...(typeof subnet === 'string' && { subnet }), ...(typeof gateway === 'string' && { gateway }) };
  return { name, ...defined({ driver }), options: rest, ...place, autoRemove: true };
}

function networkMismatches(network: Network, { declared }: NetworkState): readonly FieldProblem[] {
  const { driver, options, subnet, gateway } = networkInput(network);
  const at = (member: string, value: unknown, path = member): GivenMember => {
    return { member, pointer: `/network/${path}`, value };
  };
  const given = [
    at('driver', driver),
    at('options', network.options && Object.keys(options ?? {}).length > 0 ? options : undefined),
    at('subnet', subnet, 'options/subnet'),
    at('gateway', gateway, 'options/gateway'),
  ];
  return mismatches('network', given, { ...declared });
}

function volumeMismatches(volume: Volume, { declared, reclaimPolicy }: VolumeState, pointer: string) {
  const { driver, options, accessMode, reclaimPolicy: wanted } = volume;
  const given = Object.entries({ driver, options, accessMode, reclaimPolicy: wanted }).map(([member, value]) => {
    return { member, pointer: `${pointer}/${member}`, value };
  });
  return mismatches('volume', given, { ...declared, reclaimPolicy });
}

function addressProblems(ipv4: string | undefined, subnet: string | undefined, gateway: string | undefined) {
  if (ipv4 === undefined) return [];
  const block = subnetOf(subnet ?? '');
  if (block && isHostAddress(block, ipv4, gateway)) return [];
  const detail = block
    ? `${ipv4} is not a free address of the subnet ${subnet ?? ''}`
    : 'a fixed address needs a network that exists, or options.subnet';
  return [{ pointer: '/network/ipv4', code: 'ipv4-outside-subnet', detail }];
}

/** Returns the problems that a call refuses, with pointers into the container. */
function problemsOf(pointer: string, call: () => unknown): readonly FieldProblem[] {
  try {
    call();
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const inOptions = (at: string): string => (at === '/subnet' || at === '/gateway' ? `/options${at}` : at);
    return (error.error.errors ?? []).map(p => ({ ...p, pointer: `${pointer}${inOptions(p.pointer)}` }));
  }
}
