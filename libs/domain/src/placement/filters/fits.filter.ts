import type { NodeView, PlacementRequest } from '../model.js';
import { milli } from '../node-table.js';
import type { Filter } from './filter.js';

/** Above every other change: no room can be freed on a node that is too small when empty. */
const BIGGER_NODE = 20;

function shortfall(request: PlacementRequest, node: NodeView): { cpuMilli: number; memoryMb: number } {
  const freeMilli = milli(node.capacity.cpus) - milli(node.allocated.cpus);
  const freeMemory = node.capacity.memoryMb - node.allocated.memoryMb;
  return {
    cpuMilli: Math.max(0, milli(request.cpus) - freeMilli),
    memoryMb: Math.max(0, request.memoryMb - freeMemory),
  };
}

export const fitsFilter: Filter = {
  code: 'INSUFFICIENT_ROOM',
  applies: () => true,
  refuses: (request, { freeMilli, freeMemory }) => {
    const cpuMilli = milli(request.cpus);
    return node => (freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < request.memoryMb;
  },
  sentence: request => `The node has less than ${request.cpus} CPUs or ${request.memoryMb} MB free.`,
  remedy: (request, node) => {
    const { cpuMilli, memoryMb } = shortfall(request, node);
    if (milli(request.cpus) > milli(node.capacity.cpus) || request.memoryMb > node.capacity.memoryMb) {
      return {
        cost: BIGGER_NODE,
        sentence: `add a node with at least ${request.cpus} CPUs and ${request.memoryMb} MB`,
      };
    }
    const part = cpuMilli / Math.max(1, milli(request.cpus)) + memoryMb / Math.max(1, request.memoryMb);
    return { cost: 1 + part, sentence: `free ${cpuMilli / 1000} CPUs and ${memoryMb} MB on node ${node.name}` };
  },
};
