import { longer } from './longer.js';

/** The weights of the scorers whose scores of a node are bounded by what its view says. They add up to one at most. */
export interface BoundedWeights {
  readonly cpu: number;
  readonly memory: number;
  /** Half the weight of `spread`: the other half is that of the zone. */
  readonly half: number;
}

/** Into so many levels the upper bounds of scores are divided, from 0 to the largest that there can be. */
export const LEVELS = 256;

const NONE = -1;
const empty = (length: number): Int32Array<ArrayBuffer> => new Int32Array(length).fill(NONE);

/**
 * The nodes of each zone by the level of the upper bound of their score, for one set of weights. A change of a node costs the same in a table of
 * any size: each level is a list that is linked in both directions.
 */
export class ScoreLevels {
  private heads = new Int32Array(0);
  private sizes = new Int32Array(0);
  private following = new Int32Array(0);
  private preceding = new Int32Array(0);
  /** The list of each node; {@link NONE} for a node that is in none. */
  private lists = new Int32Array(0);
  private readonly perLevel: number;

  constructor(readonly weights: BoundedWeights) {
    const { cpu, memory, half } = weights;
    this.perLevel = (cpu + memory + half || 1) / LEVELS;
  }

  /** Adds the node, or moves it to the level of its new upper bound. */
  set(node: number, zone: number, ceiling: number): void {
    if (node >= this.lists.length) this.grow(Math.max(16, 2 * node));
    const list = zone * LEVELS + Math.max(0, Math.min(LEVELS - 1, Math.floor(ceiling / this.perLevel)));
    if (this.lists[node] === list) return;
    this.delete(node);
    if (list >= this.heads.length) {
      this.heads = longer(this.heads, empty(2 * (zone + 1) * LEVELS));
      this.sizes = longer(this.sizes, new Int32Array(2 * (zone + 1) * LEVELS));
    }
    this.sizes[list] = (this.sizes[list] ?? 0) + 1;
    const head = this.heads[list] ?? NONE;
    this.heads[list] = node;
    this.following[node] = head;
    this.preceding[node] = NONE;
    if (head !== NONE) this.preceding[head] = node;
    this.lists[node] = list;
  }

  delete(node: number): void {
    const list = this.lists[node] ?? NONE;
    if (list === NONE) return;
    this.sizes[list] = (this.sizes[list] ?? 0) - 1;
    const [before, after] = [this.preceding[node] ?? NONE, this.following[node] ?? NONE];
    if (before === NONE) this.heads[list] = after;
    else this.following[before] = after;
    if (after !== NONE) this.preceding[after] = before;
    this.lists[node] = NONE;
  }

  /** Returns the number of nodes in the highest levels of the zone that have at least so many together. */
  highest(zone: number, least: number): number {
    let nodes = 0;
    for (let level = LEVELS - 1; level >= 0 && nodes < least; level -= 1)
      nodes += this.sizes[zone * LEVELS + level] ?? 0;
    return nodes;
  }

  /** Returns a node of the level of the zone; a negative number when there is none. */
  first(zone: number, level: number): number {
    return this.heads[zone * LEVELS + level] ?? NONE;
  }

  /** Returns another node of the same level and zone after this one; a negative number after the last. */
  next(node: number): number {
    return this.following[node] ?? NONE;
  }

  /** No upper bound in the level exceeds this one. */
  top(level: number): number {
    // scores above the largest are in the last level
    return level === LEVELS - 1 ? Infinity : (level + 1) * this.perLevel;
  }

  private grow(length: number): void {
    this.lists = longer(this.lists, empty(length));
    this.following = longer(this.following, empty(length));
    this.preceding = longer(this.preceding, empty(length));
  }
}
