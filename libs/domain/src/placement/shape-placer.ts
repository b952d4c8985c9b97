import { fmix32 } from '../ring/murmur3.js';
import type { Filter } from './filters.js';
import type { NodeScore, PlacementDecision, PlacementPolicy, PlacementRequest, Remedy } from './model.js';
import { NodeHeap } from './node-heap.js';
import { milli, occupy, type NodeTable } from './node-table.js';
import { Refusals, smallestRemedy } from './refusals.js';

const BEST_FEW = 3;

/**
 * Places requests of one shape one after the other. Filters and scores are computed once for all nodes; then each
 * decision changes only the node it chose (and its zone's share), so the next best is at the top of a heap per zone.
 */
export class ShapePlacer {
  private readonly refusals: Refusals;
  private readonly heaps = new Map<number, NodeHeap>();
  private readonly local: Float64Array;
  private readonly cpuMilli: number;
  private readonly weight: number;
  private remedy: Remedy | undefined;

  constructor(
    private readonly shape: PlacementRequest,
    private readonly table: NodeTable,
    private readonly filters: readonly Filter[],
    private readonly policy: PlacementPolicy,
    private readonly seed: number,
  ) {
    const { leastCpu: cpu, leastMemory: memory, spread } = policy.weights;
    this.weight = cpu + memory + spread || 1;
    this.cpuMilli = milli(shape.cpus);
    this.refusals = new Refusals(shape, filters);
    this.local = new Float64Array(table.views.length);
    const byZone = new Map<number, number[]>();
    for (const node of this.refusals.pass(table)) {
      this.local[node] = this.localScore(node);
      const zone = table.zone[node] ?? 0;
      const nodes = byZone.get(zone);
      if (nodes === undefined) byZone.set(zone, [node]);
      else nodes.push(node);
    }
    const before = (a: number, b: number): boolean => this.wins(a, this.local[a] ?? 0, b, this.local[b] ?? 0);
    for (const [zone, nodes] of byZone) this.heaps.set(zone, new NodeHeap(nodes, before));
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
    this.remedy ??= smallestRemedy(this.shape, this.filters, this.table);
    const nodes = this.table.views.length;
    const unschedulable = nodes === 0 ? 'There is no node.' : `None of ${nodes} nodes can take the request.`;
    return { unschedulable, remedy: this.remedy };
  }

  private take(node: number): void {
    const zone = this.table.zone[node] ?? 0;
    occupy(this.table, node, this.cpuMilli, this.shape.memoryMb);
    const heap = this.heaps.get(zone);
    if (heap === undefined) return;
    const full =
      (this.table.freeMilli[node] ?? 0) < this.cpuMilli || (this.table.freeMemory[node] ?? 0) < this.shape.memoryMb;
    if (full && this.policy.filters.includes('INSUFFICIENT_ROOM')) {
      heap.removeRoot();
      if (heap.root === undefined) this.heaps.delete(zone);
      this.refusals.full();
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

  private leastCpu(node: number): number {
    return freeShare(this.table.freeMilli[node], this.cpuMilli, this.table.capMilli[node]);
  }

  private leastMemory(node: number): number {
    return freeShare(this.table.freeMemory[node], this.shape.memoryMb, this.table.capMemory[node]);
  }

  private localScore(node: number): number {
    const { leastCpu: cpu, leastMemory: memory, spread } = this.policy.weights;
    const parts =
      cpu * this.leastCpu(node) + memory * this.leastMemory(node) + spread * spreadOverNodes(this.table, node);
    return exact(parts / this.weight);
  }

  private zoneScore(zone: number): number {
    return exact((this.policy.weights.spread * spreadOverZones(this.table, zone)) / this.weight);
  }

  private explain(node: number): NodeScore {
    const { table } = this;
    const zone = table.zone[node] ?? 0;
    const parts = {
      leastCpu: this.leastCpu(node),
      leastMemory: this.leastMemory(node),
      spread: spreadOverNodes(table, node) + spreadOverZones(table, zone),
    };
    return { nodeId: table.views[node]?.id ?? '', total: (this.local[node] ?? 0) + this.zoneScore(zone), parts };
  }
}

/** Rounds to 30 binary digits, so that the sum of the scores of a node and its zone is exact and keeps the order of the heap. */
const exact = (score: number): number => Math.round(score * 2 ** 30) / 2 ** 30;

/** Returns the share that is free after the request: 1 for an empty node. */
const freeShare = (free = 0, wanted: number, capacity = 0): number =>
  capacity > 0 ? Math.max(0, (free - wanted) / capacity) : 0;

/** Returns half of the spread score: 1/2 for a node without containers, less with each container. */
const spreadOverNodes = ({ containers }: NodeTable, node: number): number => 0.5 / (1 + (containers[node] ?? 0));

/** Returns the other half: the share of all containers that is in other zones, the same for all nodes of a zone. */
const spreadOverZones = ({ zoneContainers, totalContainers }: NodeTable, zone: number): number =>
  0.5 * (1 - (zoneContainers[zone] ?? 0) / Math.max(1, totalContainers));
