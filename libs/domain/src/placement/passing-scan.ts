import { BEST_FEW } from './best-few.js';
import type { KeptNodes } from './kept-nodes.js';
import { milli } from './milli.js';
import { PASSES } from './refusal-counts.js';
import { LEVELS, type BoundedWeights, type ScoreLevels } from './score-levels.js';
import type { SelectedZone, Selection } from './selection.js';
import { scoreCeiling, type ScoreCeiling, type Shape, type ShapeRules } from './shape-rules.js';

/** Offers the nodes that can be among the best of a shape about which nothing decides but fixed filters, room and scores. */
export class PassingScan {
  private readonly ceiling: ScoreCeiling | undefined;
  /** The room that a node needs. */
  private readonly cpuMilli: number;
  private readonly memoryMb: number;

  constructor(
    private readonly request: Shape,
    private readonly rules: ShapeRules,
    private readonly selected: Selection,
    private readonly kept: KeptNodes,
  ) {
    const { shape, filters } = request;
    const checksRoom = filters.some(({ code }) => code === 'INSUFFICIENT_ROOM');
    this.cpuMilli = checksRoom ? milli(shape.cpus) : -Infinity;
    this.memoryMb = checksRoom ? shape.memoryMb : -Infinity;
    // it holds where there is room
    this.ceiling = checksRoom ? scoreCeiling(rules, request) : undefined;
  }

  /**
   * Offers the nodes, and returns how many of those that pass have no room. All of them are visited, or, where that is less, those of the highest
   * upper bounds of their scores until the next ones are too low.
   */
  run(): number {
    const { ceiling } = this;
    const levels = ceiling && this.levelsIfLess(ceiling.weights);
    if (ceiling === undefined || levels === undefined) return this.offerAll(ceiling);
    this.selected.zones.forEach((zone, at) => this.offerHighest(ceiling, levels, zone, at));
    return this.withoutRoom();
  }

  /** Returns the levels where fewer of them and of their nodes are likely to be visited than there are nodes that pass. */
  private levelsIfLess(weights: BoundedWeights): ScoreLevels | undefined {
    const { table, count } = this.request;
    const { passing, zones } = this.selected;
    const { buckets } = this.rules;
    if (buckets.size > 1 && buckets.of !== table.zone) return undefined;
    const wanted = count + BEST_FEW - 1;
    const isLess = (visits: (needed: number, zone: number) => number): boolean => {
      const visited = ({ nodes, passing: able }: SelectedZone, zone: number): number =>
        able === 0 ? 0 : LEVELS + 2 * visits(Math.min(nodes, (wanted * nodes) / able), zone);
      return zones.reduce((sum, zone, at) => sum + visited(zone, at), 0) < passing.length;
    };
    // levels are made only where they can help
    if (!isLess(needed => needed)) return undefined;
    const levels = table.ceilings.levelsOf(weights, table);
    // many nodes can be equal
    return isLess((needed, zone) => levels.highest(zone, needed)) ? levels : undefined;
  }

  private offerAll(ceiling: ScoreCeiling | undefined): number {
    const { kept, cpuMilli, memoryMb } = this;
    const { freeMilli, freeMemory } = this.request.table;
    const { of } = this.rules.buckets;
    const { passing } = this.selected;
    const { least } = kept;
    const ceilingOf = ceiling?.of;
    let full = 0;
    for (let i = 0; i < passing.length; i += 1) {
      const node = passing[i] ?? 0;
      const bucket = of[node] ?? 0;
      if ((freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < memoryMb) full += 1;
      else if (ceilingOf === undefined || ceilingOf(node) >= (least[bucket] ?? 0)) kept.offer(node, bucket);
    }
    return full;
  }

  private offerHighest(
    { taken, of }: ScoreCeiling,
    levels: ScoreLevels,
    { passing }: SelectedZone,
    zone: number,
  ): void {
    const { kept, cpuMilli, memoryMb } = this;
    const { table } = this.request;
    const { freeMilli, freeMemory } = table;
    const { first } = this.selected;
    const { least } = kept;
    const bucket = this.rules.buckets.size === 1 ? 0 : zone;
    let left = passing;
    for (let level = LEVELS - 1; level >= 0 && left > 0; level -= 1) {
      if (levels.top(level) - taken < (least[bucket] ?? 0)) return;
      for (let node = levels.first(zone, level); node >= 0; node = levels.next(node)) {
        if (first[node] !== PASSES) continue;
        left -= 1;
        if ((freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < memoryMb) continue;
        if (of(node) >= (least[bucket] ?? 0)) kept.offer(node, bucket);
      }
    }
  }

  private withoutRoom(): number {
    const { cpuMilli, memoryMb } = this;
    const { table } = this.request;
    const { freeMilli, freeMemory } = table;
    const { passing, blocks } = this.selected;
    let full = 0;
    for (const block of table.leastRoom.blocksWithout(cpuMilli, memoryMb, table)) {
      const end = blocks[block + 1] ?? 0;
      for (let i = blocks[block] ?? 0; i < end; i += 1) {
        const node = passing[i] ?? 0;
        if ((freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < memoryMb) full += 1;
      }
    }
    return full;
  }
}
