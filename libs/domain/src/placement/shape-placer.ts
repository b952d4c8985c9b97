import { fmix32 } from '../ring/murmur3.js';
import { BEST_FEW, BestFew, type Candidate } from './best-few.js';
import { KeptNodes } from './kept-nodes.js';
import { milli } from './milli.js';
import type { FilterRefusal, NodeScore, PlacementDecision, Remedy, ScorerName } from './model.js';
import type { NodeHeap } from './node-heap.js';
import { PassingScan } from './passing-scan.js';
import { PASSES, RefusalCounts } from './refusal-counts.js';
import { smallestRemedy } from './refusals.js';
import { selection, type Selection } from './selection.js';
import { localScore, positionOf, shapeRules, type Shape, type ShapeRules } from './shape-rules.js';

const NO_REMEDY: Remedy = { codes: [], sentence: '' };
const ROOM = positionOf('INSUFFICIENT_ROOM');

/**
 * Places requests of one shape one after the other. Filters and scores are computed once for all nodes; then each decision changes only the
 * node it chose and the counts of its topology domains. Nodes of the same domains are a bucket with a heap, so the next best is at the top of
 * one. As a decision changes one node, no more nodes of a bucket than there are requests can be chosen: only so many of the best are kept.
 */
export class ShapePlacer {
  private readonly rules: ShapeRules;
  private readonly selected: Selection;
  private readonly counts: RefusalCounts;
  private readonly heaps: (NodeHeap | undefined)[] = [];
  private readonly local: Float64Array;
  private readonly scoreOf: (node: number) => number;
  private readonly cpuMilli: number;
  private readonly checksRoom: boolean;
  /** By bucket: the filter that refuses all its nodes. Undefined when there is no such filter. */
  private readonly refusedAt: Uint8Array | undefined;
  private remedy: Remedy | undefined;

  constructor(private readonly request: Shape) {
    const { shape, demands, table, filters } = request;
    this.rules = shapeRules(request);
    this.selected = selection(shape, demands, filters, table);
    this.cpuMilli = milli(shape.cpus);
    this.checksRoom = filters.some(filter => filter.code === 'INSUFFICIENT_ROOM');
    const exactly = localScore(this.rules, request);
    this.scoreOf = node => exact(exactly(node));
    this.local = table.scores();
    const { constraints, buckets } = this.rules;
    this.refusedAt = constraints.length > 0 ? new Uint8Array(buckets.size) : undefined;
    this.counts = new RefusalCounts(constraints.length > 0 ? buckets.size : 1);
    this.scan();
  }

  place(requestId: string): PlacementDecision {
    const { seed, policy, table } = this.request;
    this.observeDomains();
    const best = this.bestFew();
    const about = { requestId, refusals: this.refusals(), seed, policy: policy.name };
    const chosen = best[0];
    if (chosen === undefined) return { placed: false, ...about, ...this.whyNot() };
    const scores = best.map(candidate => this.explain(candidate));
    this.take(chosen);
    return { placed: true, ...about, nodeId: table.views[chosen.node]?.id ?? '', scores };
  }

  /** Returns for each node the position of the first filter that refuses it, or {@link PASSES}. */
  firstRefusals(): Uint8Array {
    this.observeDomains();
    const { of } = this.rules.buckets;
    return Uint8Array.from(this.selected.first, (_fixed, node) =>
      Math.min(this.ownRefusal(node), this.refusedAt?.[of[node] ?? 0] ?? PASSES),
    );
  }

  /** Filters and scores the nodes, and keeps the best of each bucket. */
  private scan(): void {
    const { rules, request, selected, counts, local } = this;
    const before = (a: number, b: number): boolean => this.wins(a, local[a] ?? 0, b, local[b] ?? 0);
    const kept = new KeptNodes(rules.buckets.size, request.count + BEST_FEW - 1, before, this.scoreOf, local);
    if (rules.tests.length > 0 || this.refusedAt !== undefined) this.offerTested(kept);
    else {
      selected.counts.forEach((nodes, position) => counts.add(0, position, nodes));
      const full = new PassingScan(request, rules, selected, kept).run();
      if (full > 0) counts.add(0, ROOM, full);
    }
    kept.heaps().forEach((heap, bucket) => {
      this.heaps[bucket] = heap;
    });
  }

  /** Offers the nodes that no filter refuses, and counts all nodes. */
  private offerTested(kept: KeptNodes): void {
    const { of } = this.rules.buckets;
    for (let node = 0; node < this.selected.first.length; node += 1) {
      const bucket = of[node] ?? 0;
      const refusing = this.ownRefusal(node);
      this.counts.add(this.refusedAt === undefined ? 0 : bucket, refusing);
      if (refusing === PASSES) kept.offer(node, bucket);
    }
  }

  /** Returns the position of the first filter that refuses the node, apart from those that refuse complete buckets. */
  private ownRefusal(node: number): number {
    const fixed = this.selected.first[node] ?? PASSES;
    for (const { position, refuses } of this.rules.tests) {
      if (position > fixed) return fixed;
      if (refuses(node)) return position;
    }
    return fixed === PASSES && this.isFull(node) ? ROOM : fixed;
  }

  private isFull(node: number): boolean {
    const { freeMilli, freeMemory } = this.request.table;
    const { memoryMb } = this.request.shape;
    return this.checksRoom && ((freeMilli[node] ?? 0) < this.cpuMilli || (freeMemory[node] ?? 0) < memoryMb);
  }

  /** Asks the constraints about each bucket. */
  private observeDomains(): void {
    const { constraints, spread, buckets } = this.rules;
    const { refusedAt } = this;
    if (refusedAt === undefined) return;
    for (const { reset } of spread) reset();
    const affinity = constraints.filter(({ code }) => code !== 'SPREAD_EXCEEDED');
    const ask = (list: typeof constraints, bucket: number): number => {
      for (const { code, topology, refuses } of list)
        if (refuses(buckets.domain(topology, bucket))) return positionOf(code);
      return PASSES;
    };
    for (let bucket = 0; bucket < buckets.size; bucket += 1) {
      const refusing = ask(affinity, bucket);
      refusedAt[bucket] = refusing;
      if (refusing !== PASSES || !this.counts.isOpen(bucket)) continue;
      for (const { observe, topology } of spread) observe(buckets.domain(topology, bucket));
    }
    if (spread.length === 0) return;
    for (let bucket = 0; bucket < buckets.size; bucket += 1)
      if (refusedAt[bucket] === PASSES) refusedAt[bucket] = ask(spread, bucket);
  }

  private refusals(): readonly FilterRefusal[] {
    return this.counts.all(this.request.filters, this.request.shape, this.refusedAt);
  }

  private whyNot(): { unschedulable: string; remedy: Remedy } {
    const { shape, filters, table, explains } = this.request;
    this.remedy ??= explains ? smallestRemedy(shape, filters, table) : NO_REMEDY;
    const unschedulable = table.size === 0 ? 'There is no node.' : `None of ${table.size} nodes can take the request.`;
    return { unschedulable, remedy: this.remedy };
  }

  private take({ node, bucket }: Candidate): void {
    const { rules, counts, heaps } = this;
    this.request.table.occupy(node, this.cpuMilli, this.request.shape);
    for (const { topology, placed } of rules.constraints) placed(topology.of[node] ?? 0);
    for (const { topology, placed } of rules.preferences) placed(topology.of[node] ?? 0);
    for (const { placed } of rules.tests) placed?.(node);
    for (const { placed } of rules.scorers) placed?.(node);
    if (rules.scansAgain) {
      counts.clear();
      heaps.length = 0;
      this.scan();
      return;
    }
    const refusing = this.ownRefusal(node);
    const heap = heaps[bucket];
    if (refusing === PASSES) {
      this.local[node] = this.scoreOf(node);
      heap?.sink();
      return;
    }
    heap?.removeRoot();
    if (heap?.root === undefined) heaps[bucket] = undefined;
    const row = this.refusedAt === undefined ? 0 : bucket;
    // nodes that pass are counted where complete buckets can be refused
    if (rules.tests.length > 0 || this.refusedAt !== undefined) counts.add(row, PASSES, -1);
    counts.add(row, refusing);
  }

  private bestFew(): readonly Candidate[] {
    const best = new BestFew((a, b) => this.isBetter(a, b));
    const { heaps, refusedAt, local } = this;
    for (let bucket = 0; bucket < heaps.length; bucket += 1) {
      const heap = heaps[bucket];
      const root = heap?.root;
      if (heap === undefined || root === undefined || (refusedAt?.[bucket] ?? PASSES) !== PASSES) continue;
      const share = this.domainScore(bucket);
      if (!best.accepts({ node: root, bucket, total: (local[root] ?? 0) + share })) continue;
      for (const node of heap.top) best.offer({ node, bucket, total: (local[node] ?? 0) + share });
    }
    return best.found;
  }

  private isBetter(a: Candidate, b: Candidate): boolean {
    if (a.bucket !== b.bucket) {
      const { preferences, buckets } = this.rules;
      for (const { topology, value } of preferences) {
        const [mine, other] = [value(buckets.domain(topology, a.bucket)), value(buckets.domain(topology, b.bucket))];
        if (mine !== other) return mine < other;
      }
    }
    return this.wins(a.node, a.total, b.node, b.total);
  }

  /** Returns whether the first node has the higher score; on a tie the seed decides. A total order. */
  private wins(a: number, aScore: number, b: number, bScore: number): boolean {
    if (aScore !== bScore) return aScore > bScore;
    const { table, seed } = this.request;
    const aTie = fmix32((table.hash[a] ?? 0) ^ seed);
    const bTie = fmix32((table.hash[b] ?? 0) ^ seed);
    return aTie === bTie ? a < b : aTie < bTie;
  }

  private domainScore(bucket: number): number {
    let sum = 0;
    for (const { domains, share } of this.rules.scorers)
      for (const { topology, of } of domains) sum += share * of(this.rules.buckets.domain(topology, bucket));
    return exact(sum);
  }

  private explain({ node, total }: Candidate): NodeScore {
    const parts: { [scorer in ScorerName]?: number } = {};
    for (const { name, local, domains } of this.rules.scorers) {
      let part = local?.(node) ?? 0;
      for (const { topology, of } of domains) part += of(topology.of[node] ?? 0);
      parts[name] = part;
    }
    return { nodeId: this.request.table.views[node]?.id ?? '', total, parts };
  }
}

/** Rounds to 30 binary digits, so that the sum of the scores of a node and its bucket is exact and keeps the order of the heap. */
const exact = (score: number): number => Math.round(score * 2 ** 30) / 2 ** 30;
