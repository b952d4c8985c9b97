import { type Filter } from './filter.js';
import { milli } from '../milli.js';

interface Amounts {
  readonly cpus: number;
  readonly memoryMb: number;
}

/** Names the amounts for users; what was not asked for is left out, unless nothing was. */
export function amountText({ cpus, memoryMb }: Amounts, joint: string): string {
  const parts = [...(cpus > 0 ? [`${cpus} CPUs`] : []), ...(memoryMb > 0 ? [`${memoryMb} MB`] : [])];
  return parts.length > 0 ? parts.join(` ${joint} `) : `${cpus} CPUs ${joint} ${memoryMb} MB`;
}

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
  sentence: request => `The node has less than ${amountText(request, 'or')} free.`,
  remedy: ({ cpus, memoryMb }, { name, capacity, allocated }) => {
    const wanted = milli(cpus);
    if (wanted > milli(capacity.cpus) || memoryMb > capacity.memoryMb)
      return { cost: LARGER_NODE, sentence: `add a node with at least ${amountText({ cpus, memoryMb }, 'and')}` };
    const cpuMilli = Math.max(0, wanted - (milli(capacity.cpus) - milli(allocated.cpus)));
    const lackingMb = Math.max(0, memoryMb - (capacity.memoryMb - allocated.memoryMb));
    const part = cpuMilli / Math.max(1, wanted) + lackingMb / Math.max(1, memoryMb);
    const lacking = amountText({ cpus: cpuMilli / 1000, memoryMb: lackingMb }, 'and');
    return { cost: 1 + part, sentence: `free ${lacking} on node ${name}` };
  },
};
