import { fmix32 } from '../ring/murmur3.js';
import type { Filter } from './filters.js';
import type { NodeScore, PlacementDecision, PlacementPolicy, PlacementRequest, Remedy } from './model.js';
import { BestNodes, NodeHeap } from './node-heap.js';
import { milli, type NodeTable } from './node-table.js';
import { Refusals, selection, smallestRemedy } from './refusals.js';

const BEST_FEW = 3;

/** Requests that differ only in their id, and what decides about them. */
export interface Shape {
  readonly shape: PlacementRequest;
  /** Names what the shape demands apart from resources. */
  readonly demands: string;
  /** At most so many are placed. */
  readonly count: number;
  readonly table: NodeTable;
  readonly filters: readonly Filter[];
  readonly policy: PlacementPolicy;
  readonly seed: number;
}

/**
 * Places requests of one shape one after the other. Filters and scores are computed once for all nodes; then each
 * decision changes only the node it chose (and its zone's share), so the next best is at the top of a heap per zone. As a decision changes
 * one node, no more nodes of a zone than there are requests can be chosen: only so many of the best are kept.
 */
export class ShapePlacer {
  private readonly refusals: Refusals;
  private readonly heaps = new Map<number, NodeHeap>();
  private readonly local: Float64Array;
  private readonly shape: PlacementRequest;
  private readonly table: NodeTable;
  private readonly policy: PlacementPolicy;
  private readonly checksRoom: boolean;
  private readonly seed: number;
  private readonly cpuMilli: number;
  private readonly cpuShare: number;
  private readonly memoryShare: number;
  private readonly spreadShare: number;
  private remedy: Remedy | undefined;

  constructor(private readonly request: Shape) {
    const { shape, demands, table, filters, policy, seed } = request;
    this.shape = shape;
    this.table = table;
    this.policy = policy;
    this.seed = seed;
    this.checksRoom = filters.some(filter => filter.code === 'INSUFFICIENT_ROOM');
    const { leastCpu: cpu, leastMemory: memory, spread } = policy.weights;
    const weight = cpu + memory + spread || 1;
    this.cpuShare = cpu / weight;
    this.memoryShare = memory / weight;
    this.spreadShare = spread / weight;
    this.cpuMilli = milli(shape.cpus);
    this.local = table.scores();
    const selected = selection(shape, demands, filters, table);
    this.refusals = new Refusals(shape, filters, selected);
    this.rank(selected.passing);
  }

  /** Scores the nodes with the resources, and keeps the best of each zone. */
  private rank(passing: Int32Array): void {
    const { table, local, cpuMilli, checksRoom } = this;
    const { zone, freeMilli, freeMemory, zoneContainers } = table;
    const { memoryMb } = this.shape;
    const before = (a: number, b: number): boolean => this.wins(a, local[a] ?? 0, b, local[b] ?? 0);
    const best = zoneContainers.map(() => new BestNodes(this.request.count + BEST_FEW - 1, before));
    // most nodes are worse than the worst that is kept: they cost no call
    const least = new Float64Array(best.length).fill(-1);
    let full = 0;
    for (let i = 0; i < passing.length; i += 1) {
      const node = passing[i] ?? 0;
      if (checksRoom && ((freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < memoryMb)) {
        full += 1;
        continue;
      }
      const score = this.localScore(node);
      local[node] = score;
      const at = zone[node] ?? 0;
      if (score < (least[at] ?? 0)) continue;
      const worst = best[at]?.offer(node);
      if (worst !== undefined) least[at] = local[worst] ?? 0;
    }
    if (full > 0) this.refusals.full(full);
    best.forEach(({ nodes }, at) => {
      if (nodes.length > 0) this.heaps.set(at, new NodeHeap(nodes, before));
    });
  }

  private isFull(node: number): boolean {
    const { freeMilli, freeMemory } = this.table;
    return this.checksRoom && ((freeMilli[node] ?? 0) < this.cpuMilli || (freeMemory[node] ?? 0) < this.shape.memoryMb);
  }

  place(requestId: string): PlacementDecision {
    const { seed } = this;
    const best = this.bestFew();
    const node = best[0]?.node;
    const about = { requestId, refusals: this.refusals.all(), seed, policy: this.policy.name };
    if (node === undefined) return { placed: false, ...about, ...this.whyNot() };
    const scores = best.map(entry => this.explain(entry.node));
    this.take(node);
    return { placed: true, ...about, nodeId: this.table.views[node]?.id ?? '', scores };
  }

  private whyNot(): { unschedulable: string; remedy: Remedy } {
    this.remedy ??= smallestRemedy(this.shape, this.request.filters, this.table);
    const nodes = this.table.views.length;
    const unschedulable = nodes === 0 ? 'There is no node.' : `None of ${nodes} nodes can take the request.`;
    return { unschedulable, remedy: this.remedy };
  }

  private take(node: number): void {
    const zone = this.table.zone[node] ?? 0;
    this.table.occupy(node, this.cpuMilli, this.shape.memoryMb);
    const heap = this.heaps.get(zone);
    if (heap === undefined) return;
    if (this.isFull(node)) {
      heap.removeRoot();
      if (heap.root === undefined) this.heaps.delete(zone);
      this.refusals.full(1);
    } else {
      this.local[node] = this.localScore(node);
      heap.sink();
    }
  }

  private bestFew(): { node: number; total: number }[] {
    const best: { node: number; total: number }[] = [];
    const enters = (node: number, total: number): boolean => {
      const last = best[BEST_FEW - 1];
      return last === undefined || this.wins(node, total, last.node, last.total);
    };
    for (const [zone, heap] of this.heaps) {
      const share = this.zoneScore(zone);
      const root = heap.root;
      if (root === undefined || !enters(root, (this.local[root] ?? 0) + share)) continue;
      for (const node of heap.top) {
        const total = (this.local[node] ?? 0) + share;
        if (!enters(node, total)) continue;
        let at = Math.min(best.length, BEST_FEW - 1);
        for (
          let above = best[at - 1];
          above !== undefined && this.wins(node, total, above.node, above.total);
          above = best[at - 1]
        ) {
          best[at] = above;
          at -= 1;
        }
        best[at] = { node, total };
      }
    }
    return best;
  }

  /** Returns whether the first node has the higher score; on a tie the seed decides. A total order. */
  private wins(a: number, aScore: number, b: number, bScore: number): boolean {
    if (aScore !== bScore) return aScore > bScore;
    const aTie = fmix32((this.table.hash[a] ?? 0) ^ this.seed);
    const bTie = fmix32((this.table.hash[b] ?? 0) ^ this.seed);
    return aTie === bTie ? a < b : aTie < bTie;
  }

  private localScore(node: number): number {
    const { freeMilli, freeMemory, capMilli, capMemory, containers } = this.table;
    const cpu = freeShare(freeMilli[node] ?? 0, this.cpuMilli, capMilli[node] ?? 0);
    const memory = freeShare(freeMemory[node] ?? 0, this.shape.memoryMb, capMemory[node] ?? 0);
    return exact(
      this.cpuShare * cpu + this.memoryShare * memory + (this.spreadShare * 0.5) / (1 + (containers[node] ?? 0)),
    );
  }

  private zoneScore(zone: number): number {
    return exact(this.spreadShare * spreadOverZones(this.table, zone));
  }

  private explain(node: number): NodeScore {
    const { table } = this;
    const zone = table.zone[node] ?? 0;
    const parts = {
      leastCpu: freeShare(table.freeMilli[node] ?? 0, this.cpuMilli, table.capMilli[node] ?? 0),
      leastMemory: freeShare(table.freeMemory[node] ?? 0, this.shape.memoryMb, table.capMemory[node] ?? 0),
      spread: spreadOverNodes(table, node) + spreadOverZones(table, zone),
    };
    return { nodeId: table.views[node]?.id ?? '', total: (this.local[node] ?? 0) + this.zoneScore(zone), parts };
  }
}

/** Rounds to 30 binary digits, so that the sum of the scores of a node and its zone is exact and keeps the order of the heap. */
const exact = (score: number): number => Math.round(score * 2 ** 30) / 2 ** 30;

/** Returns the share that is free after the request: 1 for an empty node. */
const freeShare = (free: number, wanted: number, capacity: number): number =>
  capacity > 0 ? Math.max(0, (free - wanted) / capacity) : 0;

/** Returns half of the spread score: 1/2 for a node without containers, less with each container. */
const spreadOverNodes = ({ containers }: NodeTable, node: number): number => 0.5 / (1 + (containers[node] ?? 0));

/** Returns the other half: the share of all containers that is in other zones, the same for all nodes of a zone. */
const spreadOverZones = ({ zoneContainers, totalContainers }: NodeTable, zone: number): number =>
  0.5 * (1 - (zoneContainers[zone] ?? 0) / Math.max(1, totalContainers));
