import type { NodeTable } from '../node-table.js';

/** Half of the spread score: 1 on a node without containers, falling with each. */
export function spreadOverNodes(table: NodeTable, node: number): number {
  return 0.5 / (1 + (table.containers[node] ?? 0));
}

/** The other half: the share of all containers that is NOT in the zone; alike for all nodes of a zone. */
export function spreadOverZones(table: NodeTable, zone: number): number {
  return 0.5 * (1 - (table.zoneContainers[zone] ?? 0) / Math.max(1, table.totalContainers));
}
