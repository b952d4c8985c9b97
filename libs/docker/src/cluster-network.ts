import { DriverError, type ClusterSpec, type DriverContext } from '@stave/driver-sdk';
import { sameSubnet } from './address.js';
import type { NetworkSummary } from './engine-types.js';
import { generationOf, requireNotSuperseded } from './labels.js';
import type { ClusterNetworks, ConnectableNode } from './network.js';

/** What the network of a cluster depends on. */
interface NetworkParts {
  readonly networks: ClusterNetworks;
  readonly inventory: {
    nodes(ctx: DriverContext, filter: { readonly clusterId: string }): Promise<readonly ConnectableNode[]>;
  };
}

/**
 * Creates or adopts the network of a cluster, and replaces one of a lower generation or with another subnet. A network with nodes is adopted in any
 * case, because nodes cannot change their network. Nodes that lost it are connected to it again.
 */
export async function provideNetwork(
  ctx: DriverContext,
  spec: ClusterSpec,
  { networks, inventory }: NetworkParts,
): Promise<NetworkSummary> {
  ctx.progress('create cluster network');
  const [present, nodes] = await Promise.all([
    networks.ofCluster(ctx, spec.id),
    inventory.nodes(ctx, { clusterId: spec.id }),
  ]);
  const [newest] = present;
  requireNotSuperseded(`cluster ${spec.id}`, spec.generation, newest && generationOf(newest.Labels));
  const isAdopted = newest !== undefined && nodes.length > 0;
  for (const network of isAdopted ? [] : present)
    if (generationOf(network.Labels) < spec.generation || !hasSubnet(network, spec.network.cidr))
      await networks.remove(ctx, network.Id);
  const network = isAdopted ? newest : await networks.ensure(ctx, spec);
  await networks.reconnect(ctx, network, nodes);
  return network;
}

/** Changes the subnet, which is possible only while the cluster has no nodes. Throws `notFound` where the cluster has no network. */
export async function updateNetwork(
  ctx: DriverContext,
  spec: ClusterSpec,
  parts: NetworkParts,
): Promise<NetworkSummary> {
  const [network] = await parts.networks.ofCluster(ctx, spec.id);
  if (!network) throw new DriverError('notFound', `cluster ${spec.id} does not exist on this engine`);
  if (hasSubnet(network, spec.network.cidr)) return network;
  const [node] = await parts.inventory.nodes(ctx, { clusterId: spec.id });
  const message = `the network ${subnetOf(network)} cannot change while the cluster has nodes`;
  if (node) throw new DriverError('unsupported', message);
  return provideNetwork(ctx, spec, parts);
}

const subnetOf = (network: NetworkSummary): string | undefined => network.IPAM.Config?.[0]?.Subnet;

/** Whether the network has the wanted subnet. Any subnet will do where the cluster names none. */
function hasSubnet(network: NetworkSummary, wanted: string | undefined): boolean {
  const subnet = subnetOf(network);
  return wanted === undefined || subnet === undefined || sameSubnet(subnet, wanted);
}
