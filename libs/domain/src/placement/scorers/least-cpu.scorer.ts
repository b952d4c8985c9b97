import type { NodeTable } from '../node-table.js';

/** The share of the node's CPUs that is free after the request: 1 when empty. */
export function leastCpu(table: NodeTable, node: number, cpuMilli: number): number {
  const capacity = table.capMilli[node] ?? 0;
  return capacity > 0 ? Math.max(0, ((table.freeMilli[node] ?? 0) - cpuMilli) / capacity) : 0;
}
