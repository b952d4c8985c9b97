import { murmur3 } from '../ring/murmur3.js';
import type { NodeView } from './model.js';

/** Returns the CPUs in thousandths, as a whole number, so that sums are exact. */
export const milli = (cpus: number): number => Math.round(cpus * 1000);

/** The nodes as plain arrays with the same indexes. Their free resources shrink as requests are placed. */
export interface NodeTable {
  readonly views: readonly NodeView[];
  readonly capMilli: Float64Array;
  readonly capMemory: Float64Array;
  readonly freeMilli: Float64Array;
  readonly freeMemory: Float64Array;
  readonly containers: Float64Array;
  readonly hash: Uint32Array;
  /** The index of the zone in `zoneContainers`. Nodes without a zone share one. */
  readonly zone: Int32Array;
  readonly zoneContainers: number[];
  totalContainers: number;
}

export function nodeTable(views: readonly NodeView[]): NodeTable {
  const zones = new Map<string, number>();
  const zoneContainers: number[] = [];
  const zone = Int32Array.from(views, view => {
    const name = view.zone === undefined ? '' : `=${view.zone}`;
    const at = zones.get(name) ?? zones.size;
    zones.set(name, at);
    zoneContainers[at] = (zoneContainers[at] ?? 0) + view.containers;
    return at;
  });
  return {
    views,
    capMilli: Float64Array.from(views, view => milli(view.capacity.cpus)),
    capMemory: Float64Array.from(views, view => view.capacity.memoryMb),
    freeMilli: Float64Array.from(views, view => milli(view.capacity.cpus) - milli(view.allocated.cpus)),
    freeMemory: Float64Array.from(views, view => view.capacity.memoryMb - view.allocated.memoryMb),
    containers: Float64Array.from(views, view => view.containers),
    hash: Uint32Array.from(views, view => murmur3(view.id)),
    zone,
    zoneContainers,
    totalContainers: zoneContainers.reduce((sum, count) => sum + count, 0),
  };
}

/** Takes the resources of one more container from a node. */
export function occupy(table: NodeTable, node: number, cpuMilli: number, memoryMb: number): void {
  const zone = table.zone[node] ?? 0;
  table.freeMilli[node] = (table.freeMilli[node] ?? 0) - cpuMilli;
  table.freeMemory[node] = (table.freeMemory[node] ?? 0) - memoryMb;
  table.containers[node] = (table.containers[node] ?? 0) + 1;
  table.zoneContainers[zone] = (table.zoneContainers[zone] ?? 0) + 1;
  table.totalContainers += 1;
}
