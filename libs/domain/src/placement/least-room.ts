import { longer } from './longer.js';
import type { NodeTable } from './node-table.js';

/** So many nodes with successive indexes are a block. */
export const BLOCK_OF_NODES = 64;

type Numbers = Float64Array<ArrayBuffer>;

/** The least free CPUs and memory in each block of nodes, which show cheaply that all nodes of most blocks have room for a request. */
export class LeastRoom {
  private milli: Numbers = new Float64Array(0);
  private memory: Numbers = new Float64Array(0);
  /** The blocks in which a node may have more than before. */
  private stale = new Uint8Array(0);

  /** Takes in what is free on the node, which is not more than before. */
  lower(node: number, freeMilli: number, freeMemory: number): void {
    const block = Math.floor(node / BLOCK_OF_NODES);
    if (freeMilli < (this.milli[block] ?? 0)) this.milli[block] = freeMilli;
    if (freeMemory < (this.memory[block] ?? 0)) this.memory[block] = freeMemory;
  }

  /** Takes in that the node is new, has gone, or may have more than before. */
  change(node: number): void {
    const block = Math.floor(node / BLOCK_OF_NODES);
    if (block >= this.stale.length) this.grow(Math.max(16, 2 * block));
    this.stale[block] = 1;
  }

  /** Returns the blocks with a node that has less than so much. */
  blocksWithout(cpuMilli: number, memoryMb: number, table: NodeTable): readonly number[] {
    const blocks: number[] = [];
    for (let block = 0; block * BLOCK_OF_NODES < table.size; block += 1) {
      if (this.stale[block] === 1) this.refresh(block, table);
      if ((this.milli[block] ?? 0) < cpuMilli || (this.memory[block] ?? 0) < memoryMb) blocks.push(block);
    }
    return blocks;
  }

  private refresh(block: number, { freeMilli, freeMemory, size }: NodeTable): void {
    const end = Math.min(size, (block + 1) * BLOCK_OF_NODES);
    this.milli[block] = Infinity;
    this.memory[block] = Infinity;
    this.stale[block] = 0;
    for (let node = block * BLOCK_OF_NODES; node < end; node += 1)
      this.lower(node, freeMilli[node] ?? 0, freeMemory[node] ?? 0);
  }

  private grow(blocks: number): void {
    this.milli = longer(this.milli, new Float64Array(blocks));
    this.memory = longer(this.memory, new Float64Array(blocks));
    this.stale = longer(this.stale, new Uint8Array(blocks));
  }
}
