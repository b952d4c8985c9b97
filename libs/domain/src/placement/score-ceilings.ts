import { freeShare } from './free-share.js';
import { longer } from './longer.js';
import type { NodeTable } from './node-table.js';
import { ScoreLevels, type BoundedWeights } from './score-levels.js';

/** The levels of so many sets of weights are kept; nearly all requests have the same. */
const KEPT_LEVELS = 4;

type Numbers = Float64Array<ArrayBuffer>;

/**
 * What bounds the scores of nodes from above: what their views say. Placements only lower what nodes really have, so that bounds hold until a view
 * is replaced.
 */
export class ScoreCeilings {
  /** No node has a larger capacity than these. */
  maxCapMilli = 0;
  maxCapMemory = 0;
  /** The free shares of the CPUs and the memory of a node, and the inverse of one more than its containers. */
  private mostCpu: Numbers = new Float64Array(0);
  private mostMemory: Numbers = new Float64Array(0);
  private mostSpread: Numbers = new Float64Array(0);
  private readonly levels = new Map<string, ScoreLevels>();

  /** Takes in what the table has for the node. No placement may have taken anything from it since its view was written. */
  set(node: number, { zone, freeMilli, freeMemory, capMilli, capMemory, containers }: NodeTable): void {
    if (node >= this.mostCpu.length) this.grow(Math.max(16, 2 * node));
    this.mostCpu[node] = freeShare(freeMilli[node], 0, capMilli[node]);
    this.mostMemory[node] = freeShare(freeMemory[node], 0, capMemory[node]);
    this.mostSpread[node] = 1 / (1 + (containers[node] ?? 0));
    this.maxCapMilli = Math.max(this.maxCapMilli, capMilli[node] ?? 0);
    this.maxCapMemory = Math.max(this.maxCapMemory, capMemory[node] ?? 0);
    for (const levels of this.levels.values()) levels.set(node, zone[node] ?? 0, this.of(levels.weights)(node));
  }

  delete(node: number): void {
    for (const levels of this.levels.values()) levels.delete(node);
  }

  /** Returns a function that is never less than the weighted sum of what the scorers say of a node for a request without resources. */
  of({ cpu, memory, half }: BoundedWeights): (node: number) => number {
    const { mostCpu, mostMemory, mostSpread } = this;
    return node => cpu * (mostCpu[node] ?? 0) + memory * (mostMemory[node] ?? 0) + half * (mostSpread[node] ?? 0);
  }

  /** Returns all nodes by these bounds, which are kept up to date from then on. */
  levelsOf(weights: BoundedWeights, table: NodeTable): ScoreLevels {
    const key = `${weights.cpu} ${weights.memory} ${weights.half}`;
    const levels = this.levels.get(key) ?? this.made(weights, table);
    // the one that was not used for the longest time is the first
    this.levels.delete(key);
    const [oldest] = this.levels.keys();
    if (oldest !== undefined && this.levels.size >= KEPT_LEVELS) this.levels.delete(oldest);
    this.levels.set(key, levels);
    return levels;
  }

  private made(weights: BoundedWeights, { size, zone }: NodeTable): ScoreLevels {
    const levels = new ScoreLevels(weights);
    const ceiling = this.of(weights);
    for (let node = 0; node < size; node += 1) levels.set(node, zone[node] ?? 0, ceiling(node));
    return levels;
  }

  private grow(length: number): void {
    this.mostCpu = longer(this.mostCpu, new Float64Array(length));
    this.mostMemory = longer(this.mostMemory, new Float64Array(length));
    this.mostSpread = longer(this.mostSpread, new Float64Array(length));
  }
}
