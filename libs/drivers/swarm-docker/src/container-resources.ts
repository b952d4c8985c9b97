import type { ContainerSpec, DriverContext, Options } from '@stave/driver-sdk';
import { type EngineClient, label, undefinedOn } from '@stave/docker';

/** The options of a network that Stave itself reads; all others are passed to the network's driver. */
const staveOptions = new Set(['subnet', 'gateway']);

/** Creates networks and volumes that are no resources of their own, as containers of earlier releases name them. */
export async function ensureUnmanaged(
  ctx: DriverContext,
  spec: ContainerSpec,
  node: EngineClient,
  manager: () => Promise<EngineClient>,
): Promise<void> {
  await ensureNetwork(ctx, spec, node, manager);
  await ensureVolumes(ctx, spec, node);
}

/**
 * Creates the network of a container when it does not exist. An overlay network spans the cluster and is created by a manager; any other
 * network belongs to the node.
 */
async function ensureNetwork(
  ctx: DriverContext,
  spec: ContainerSpec,
  node: EngineClient,
  manager: () => Promise<EngineClient>,
): Promise<void> {
  const network = spec.network;
  if (!network || network.networkId !== undefined) return;
  const driver = network.driver ?? 'bridge';
  const engine = driver === 'overlay' ? await manager() : node;
  const path = `/networks/${encodeURIComponent(network.name)}`;
  if (await undefinedOn([404], engine.read<object>(ctx, path))) return;
  ctx.progress('create network');
  const body = {
    Name: network.name,
    CheckDuplicate: true,
    Driver: driver,
    Attachable: driver === 'overlay',
    IPAM: ipamOf(network.options),
    Options: driverOptions(network.options),
    Labels: { [label.cluster]: spec.clusterId },
  };
  await undefinedOn([409], engine.change(ctx, 'POST', '/networks/create', { body }));
}

/** Creates missing volumes on the node. They remain after the container; an existing volume keeps its driver and options. */
async function ensureVolumes(ctx: DriverContext, spec: ContainerSpec, node: EngineClient): Promise<void> {
  for (const volume of spec.volumes) {
    if (volume.volumeId !== undefined) continue;
    const path = `/volumes/${encodeURIComponent(volume.name)}`;
    if (await undefinedOn([404], node.read<object>(ctx, path))) continue;
    const body = {
      Name: volume.name,
      Driver: volume.driver,
      DriverOpts: driverOptions(volume.options),
      Labels: { [label.cluster]: spec.clusterId },
    };
    await node.change(ctx, 'POST', '/volumes/create', { body });
  }
}

function ipamOf({ subnet, gateway }: Options = {}): object | undefined {
  if (typeof subnet !== 'string') return undefined;
  return { Config: [{ Subnet: subnet, ...(typeof gateway === 'string' && { Gateway: gateway }) }] };
}

function driverOptions(options: Options = {}): Record<string, string> {
  const others = Object.entries(options).filter(([key]) => !staveOptions.has(key));
  return Object.fromEntries(others.map(([key, value]) => [key, String(value)]));
}
