import { getOrCreate } from '../kernel/get-or-create.js';
import { diffJson } from '../kernel/json.js';
import { murmur3 } from '../ring/murmur3.js';
import { LeastRoom } from './least-room.js';
import { longer } from './longer.js';
import { milli } from './milli.js';
import type { NodeView, PlacementRequest } from './model.js';
import { NodeContents } from './node-contents.js';
import { ScoreCeilings } from './score-ceilings.js';

export { milli };

/** More answers than this are not kept; requests rarely differ that much in what they demand of a node. */
const ANSWERS = 256;

/** The mean use of a node over a window. */
export interface NodeUse {
  readonly cpuCores: number;
  readonly memoryMb: number;
}

interface Taken {
  readonly node: number;
  readonly cpuMilli: number;
  readonly memoryMb: number;
  readonly undo?: () => void;
}

/**
 * The nodes as plain arrays with the same indexes: the snapshot of a cluster. Its owner keeps it from batch to batch and sets the nodes that
 * changed, so that the cost is that of the change. {@link place} takes resources from it and returns them before it ends.
 */
export class NodeTable {
  readonly views: NodeView[] = [];
  capMilli = new Float64Array(0);
  capMemory = new Float64Array(0);
  freeMilli = new Float64Array(0);
  freeMemory = new Float64Array(0);
  containers = new Float64Array(0);
  hash = new Uint32Array(0);
  /** The index of the zone in `zoneContainers`. Nodes without a zone share one. */
  zone = new Int32Array(0);
  readonly zoneContainers: number[] = [];
  totalContainers = 0;
  /** What their containers hold besides CPUs and memory. */
  readonly contents = new NodeContents();
  /** What bounds the scores of the nodes. */
  readonly ceilings = new ScoreCeilings();
  /** What is free at least in blocks of nodes, placements included. */
  readonly leastRoom = new LeastRoom();
  /** The number of nodes with taints that are to be avoided. */
  softTainted = 0;
  /** Returns what a node uses on average over a window, in cores and MB; undefined when that is unknown. Default: what the views say. */
  usedOn: ((nodeId: string, windowSeconds: number) => NodeUse | undefined) | undefined;
  private readonly zones = new Map<string | undefined, number>();
  private readonly indexes = new Map<string, number>();
  private readonly answers = new Map<string, unknown>();
  private readonly taken: Taken[] = [];
  private scratch = new Float64Array(0);

  constructor(views: readonly NodeView[] = []) {
    this.grow(views.length);
    for (const view of views) this.set(view);
  }

  get size(): number {
    return this.views.length;
  }

  view(id: string): NodeView | undefined {
    const node = this.indexes.get(id);
    return node === undefined ? undefined : this.views[node];
  }

  /** Returns the mean use of a node as shares of its capacity; a share is absent when it is unknown. */
  use(node: number, windowSeconds: number): NonNullable<NodeView['use']> {
    const view = this.views[node];
    if (view === undefined || this.usedOn === undefined) return view?.use ?? {};
    const used = this.usedOn(view.id, windowSeconds);
    const { cpus, memoryMb } = view.capacity;
    if (used === undefined) return {};
    return {
      ...(cpus > 0 && { cpu: used.cpuCores / cpus }),
      ...(memoryMb > 0 && { memory: used.memoryMb / memoryMb }),
    };
  }

  /** Adds the node, or replaces the one with its id. */
  set(view: NodeView): void {
    const known = this.indexes.get(view.id);
    const node = known ?? this.views.length;
    const before = this.views[node];
    if (before === undefined) {
      if (node >= this.hash.length) this.grow(Math.max(16, 2 * node));
      this.indexes.set(view.id, node);
      this.hash[node] = murmur3(view.id);
    } else this.clear(node, before);
    if (before === undefined || differ(before, view)) this.answers.clear();
    this.views[node] = view;
    this.write(node, view);
  }

  /** Removes the node. The last one takes over its index. */
  delete(id: string): void {
    const node = this.indexes.get(id);
    if (node === undefined) return;
    const end = this.views.length - 1;
    const last = this.views[end];
    this.answers.clear();
    this.indexes.delete(id);
    const removed = this.views[node];
    if (removed !== undefined) this.clear(node, removed);
    this.views.length = end;
    this.ceilings.delete(end);
    this.leastRoom.change(end);
    if (last === undefined || node === end) return;
    this.clear(end, last);
    this.indexes.set(last.id, node);
    this.hash[node] = this.hash[end] ?? 0;
    this.views[node] = last;
    this.write(node, last);
  }

  /** Returns what `ask` answered for this question before, as long as no node changed other than in its resources. */
  answer<T>(question: string, ask: () => T): T {
    if (this.answers.size > ANSWERS) this.answers.clear();
    // each kind of question has a prefix of its own
    return getOrCreate(this.answers, question, ask) as T;
  }

  /** Returns an array for a score of each node, with what was in it before: only one shape at a time can use it. */
  scores(): Float64Array {
    if (this.scratch.length < this.size) this.scratch = new Float64Array(this.hash.length);
    return this.scratch;
  }

  /** Takes what one more container of the request needs from a node. */
  occupy(node: number, cpuMilli: number, request: PlacementRequest): void {
    const { memoryMb, setId, labels, affinity, hostPorts, network, volumes } = request;
    const holds = setId ?? labels ?? affinity ?? hostPorts ?? network ?? volumes;
    this.add(node, cpuMilli, memoryMb, 1);
    this.leastRoom.lower(node, this.freeMilli[node] ?? 0, this.freeMemory[node] ?? 0);
    this.taken.push({
      node,
      cpuMilli,
      memoryMb,
      ...(holds !== undefined && { undo: this.contents.place(node, this.views[node]?.id ?? '', request) }),
    });
  }

  /** Returns everything that was taken by {@link occupy}, or what was taken after there were so many placements. */
  restore(placements = 0): void {
    while (this.taken.length > placements) {
      const taken = this.taken.pop();
      if (taken === undefined) return;
      this.add(taken.node, -taken.cpuMilli, -taken.memoryMb, -1);
      this.leastRoom.change(taken.node);
      taken.undo?.();
    }
  }

  private clear(node: number, view: NodeView): void {
    this.count(node, -view.containers);
    this.contents.remove(node, view);
    if ((view.softTaints ?? []).length > 0) this.softTainted -= 1;
  }

  private add(node: number, cpuMilli: number, memoryMb: number, containers: number): void {
    this.freeMilli[node] = (this.freeMilli[node] ?? 0) - cpuMilli;
    this.freeMemory[node] = (this.freeMemory[node] ?? 0) - memoryMb;
    this.containers[node] = (this.containers[node] ?? 0) + containers;
    this.count(node, containers);
  }

  private count(node: number, containers: number): void {
    const zone = this.zone[node] ?? 0;
    this.zoneContainers[zone] = (this.zoneContainers[zone] ?? 0) + containers;
    this.totalContainers += containers;
  }

  private write(node: number, view: NodeView): void {
    const { zone, capacity, allocated, containers, softTaints = [] } = view;
    this.zone[node] = getOrCreate(this.zones, zone, () => this.zones.size);
    this.capMilli[node] = milli(capacity.cpus);
    this.capMemory[node] = capacity.memoryMb;
    this.freeMilli[node] = milli(capacity.cpus) - milli(allocated.cpus);
    this.freeMemory[node] = capacity.memoryMb - allocated.memoryMb;
    this.containers[node] = containers;
    this.ceilings.set(node, this);
    this.leastRoom.change(node);
    this.count(node, containers);
    this.contents.add(node, view);
    if (softTaints.length > 0) this.softTainted += 1;
  }

  private grow(length: number): void {
    this.capMilli = longer(this.capMilli, new Float64Array(length));
    this.capMemory = longer(this.capMemory, new Float64Array(length));
    this.freeMilli = longer(this.freeMilli, new Float64Array(length));
    this.freeMemory = longer(this.freeMemory, new Float64Array(length));
    this.containers = longer(this.containers, new Float64Array(length));
    this.hash = longer(this.hash, new Uint32Array(length));
    this.zone = longer(this.zone, new Int32Array(length));
  }
}

/** What filters do not remember: resources, use and containers. */
const CHANGING: ReadonlySet<string> = new Set([
  'capacity',
  'allocated',
  'containers',
  'held',
  'use',
  'hostPorts',
  'addresses',
] satisfies (keyof NodeView)[]);

/** Whether two views of a node differ in what filters remember. Members that are the same object cost nothing. */
function differ(before: NodeView, after: NodeView): boolean {
  const isOther = (name: string): boolean => {
    if (CHANGING.has(name)) return false;
    const [was, is]: unknown[] = [before[name as keyof NodeView], after[name as keyof NodeView]];
    return !Object.is(was, is) && diffJson(was, is).length > 0;
  };
  for (const name in before) if (isOther(name)) return true;
  for (const name in after) if (!(name in before) && isOther(name)) return true;
  return false;
}
