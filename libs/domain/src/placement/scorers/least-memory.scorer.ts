import type { NodeTable } from '../node-table.js';

/** The share of the node's memory that is free after the request: 1 when empty. */
export function leastMemory(table: NodeTable, node: number, memoryMb: number): number {
  const capacity = table.capMemory[node] ?? 0;
  return capacity > 0 ? Math.max(0, ((table.freeMemory[node] ?? 0) - memoryMb) / capacity) : 0;
}
