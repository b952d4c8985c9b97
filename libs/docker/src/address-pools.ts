import { createHash } from 'node:crypto';

/**
 * The blocks from which subnets are chosen where nobody names one. They overlap neither each other nor 10.64.0.0/10, from which services give
 * subnets to the networks of containers: a bridge on a node in the block of its cluster would make the other nodes unreachable.
 */
export const addressPools = {
  /** The Swarm's own overlays (ingress). */
  overlays: '10.128.0.0/16',
  /** The networks of clusters, which connect their nodes. */
  clusters: '10.144.0.0/12',
} as const;

/** The number of /22 subnets in the block of clusters; a bridge has at most 1023 ports. */
export const CLUSTER_SUBNETS = 1024;
const FIRST = 144;
const IN_ONE = 64;

/** Returns the subnet to try for a cluster; attempts 0 to 1023 differ. */
export function subnetFor(clusterId: string, attempt: number): string {
  const start = createHash('sha256').update(clusterId).digest().readUInt16BE(0);
  const index = (start + attempt * 7) % CLUSTER_SUBNETS;
  return `10.${FIRST + Math.floor(index / IN_ONE)}.${(index % IN_ONE) * 4}.0/22`;
}
