import { type Filter } from './filter.js';
import { milli } from '../milli.js';

/** The cost of a larger node. It is above every other cost: nothing can be freed on a node that is too small when empty. */
const LARGER_NODE = 20;

export const room: Filter = {
  code: 'INSUFFICIENT_ROOM',
  isFixed: false,
  applies: () => true,
  refuses: (request, { freeMilli, freeMemory }) => {
    const cpuMilli = milli(request.cpus);
    return node => (freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < request.memoryMb;
  },
  sentence: request => `The node has less than ${request.cpus} CPUs or ${request.memoryMb} MB free.`,
  remedy: ({ cpus, memoryMb }, { name, capacity, allocated }) => {
    const wanted = milli(cpus);
    if (wanted > milli(capacity.cpus) || memoryMb > capacity.memoryMb)
      return { cost: LARGER_NODE, sentence: `add a node with at least ${cpus} CPUs and ${memoryMb} MB` };
    const cpuMilli = Math.max(0, wanted - (milli(capacity.cpus) - milli(allocated.cpus)));
    const lackingMb = Math.max(0, memoryMb - (capacity.memoryMb - allocated.memoryMb));
    const part = cpuMilli / Math.max(1, wanted) + lackingMb / Math.max(1, memoryMb);
    return { cost: 1 + part, sentence: `free ${cpuMilli / 1000} CPUs and ${lackingMb} MB on node ${name}` };
  },
};
