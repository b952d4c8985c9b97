import type { NodeView, PlacementRequest } from '../placement/index.js';
import { growNodeGroups } from './grow-node-groups.js';
import { headroomOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

/** Why a node is not removed. */
export type ShrinkBlock =
  | 'DISABLED'
  /** The cluster is paused, the group rolls, or a user has changed its count lately. */
  | 'PAUSED'
  | 'AT_MIN'
  | 'USED'
  | 'CANNOT_MOVE'
  | 'NO_OTHER_PLACE'
  | 'WOULD_GROW'
  | 'WAITING'
  | 'JUST_GREW'
  | 'NOT_IDLE_LONG'
  /** Other nodes were simulated before it; one of the next evaluations simulates it. */
  | 'NOT_SIMULATED';

/** A container on a node. */
export interface HeldRequest extends PlacementRequest {
  readonly nodeId: string;
  /** It may be moved: it is movable, names no node, and has no data on the node that is kept. */
  readonly movable: boolean;
}

export interface ShrinkInput {
  /** Milliseconds. */
  readonly now: number;
  readonly nodes: readonly NodeView[];
  readonly containers: readonly HeldRequest[];
  /** Containers that wait for a place. */
  readonly waiting: readonly PlacementRequest[];
  /** Nodes are being proposed or built. */
  readonly upcoming: boolean;
  /** What sets may need again: their members up to the largest recommendation of their scale-in window. */
  readonly reserve: readonly PlacementRequest[];
  readonly groups: readonly ScaledGroup[];
  /** When each group last grew. */
  readonly grewAt: ReadonlyMap<string, number>;
  /** Since when each node has been a candidate at every evaluation; what the evaluation before returned. */
  readonly since: ReadonlyMap<string, number>;
  readonly place: Place;
  /** Nodes with data that is retained there: no machine removes them. */
  readonly pinned?: ReadonlySet<string>;
  /** How many nodes with containers are simulated at most; default: all. Those that are candidates already come first, the others in turn. */
  readonly simulations?: number;
}

export interface Shrink {
  /** Candidates that have been so for long enough: empty ones, or one with containers that move first. */
  readonly remove: readonly { readonly nodeId: string; readonly groupId: string; readonly isEmpty: boolean }[];
  readonly since: ReadonlyMap<string, number>;
  readonly blocked: ReadonlyMap<string, ShrinkBlock>;
}

/** The most empty nodes that are removed at once. */
const MOST_EMPTY = 10;

/** Returns how much of the node is requested: the larger share of CPUs and memory. */
function usedShare({ capacity, allocated }: NodeView): number {
  const share = (used: number, of: number): number => (of > 0 ? used / of : 0);
  return Math.max(share(allocated.cpus, capacity.cpus), share(allocated.memoryMb, capacity.memoryMb));
}

/** The order in which nodes are tried: the fullest zone of their group first, then the emptiest node. */
function inOrder(nodes: readonly NodeView[]): readonly NodeView[] {
  const zoneOf = ({ nodeGroupId, zone = '' }: NodeView): string => JSON.stringify([nodeGroupId, zone]);
  const sizes = new Map<string, number>();
  for (const node of nodes) sizes.set(zoneOf(node), (sizes.get(zoneOf(node)) ?? 0) + 1);
  return [...nodes].sort(
    (a, b) =>
      (sizes.get(zoneOf(b)) ?? 0) - (sizes.get(zoneOf(a)) ?? 0) ||
      usedShare(a) - usedShare(b) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** What stays when the chosen nodes are gone. */
class Rest {
  private readonly gone = new Set<string>();
  private readonly removed = new Map<string, number>();
  private readonly headroom: readonly PlacementRequest[];

  constructor(private readonly input: ShrinkInput) {
    this.headroom = input.groups.flatMap(group => (group.autoscaling.enabled ? headroomOf(group) : []));
  }

  removedOf(groupId: string): number {
    return this.removed.get(groupId) ?? 0;
  }

  /** Returns why these nodes are needed besides those that are gone already. */
  blockOf(nodes: readonly NodeView[]): ShrinkBlock | undefined {
    const { containers, reserve, groups, place, now } = this.input;
    const gone = new Set([...this.gone, ...nodes.map(({ id }) => id)]);
    const moving = containers.filter(({ nodeId }) => gone.has(nodeId));
    const wanted = [...moving, ...this.headroom, ...reserve];
    if (wanted.length === 0) return undefined;
    const stay = this.input.nodes.filter(node => !gone.has(node.id));
    if (place(stay, wanted).some(({ placed }) => !placed)) return 'NO_OTHER_PLACE';
    const left = groups.map(group => {
      const also = nodes.filter(({ nodeGroupId }) => nodeGroupId === group.id).length;
      return { ...group, count: group.count - this.removedOf(group.id) - also };
    });
    const growth = growNodeGroups({ now, nodes: stay, waiting: [...moving, ...reserve], groups: left, place });
    return growth.proposals.length > 0 ? 'WOULD_GROW' : undefined;
  }

  remove({ id, nodeGroupId }: NodeView): void {
    this.gone.add(id);
    this.removed.set(nodeGroupId, this.removedOf(nodeGroupId) + 1);
  }
}

/** Returns why a node stays, as far as that follows from itself and its group. */
function ownBlock(
  node: NodeView,
  group: ScaledGroup | undefined,
  own: readonly HeldRequest[],
  input: ShrinkInput,
): ShrinkBlock | undefined {
  if (!group?.autoscaling.enabled) return 'DISABLED';
  if (group.paused) return 'PAUSED';
  if (usedShare(node) >= group.autoscaling.idleThreshold) return 'USED';
  if (input.waiting.length > 0 || input.upcoming) return 'WAITING';
  const grewAt = input.grewAt.get(group.id);
  if (grewAt !== undefined && input.now < grewAt + group.autoscaling.delayAfterGrowSeconds * 1000) return 'JUST_GREW';
  if (group.count <= group.minCount) return 'AT_MIN';
  const isPinned = input.pinned?.has(node.id) === true;
  return isPinned || own.some(({ movable, hostNode }) => !movable || hostNode !== undefined)
    ? 'CANNOT_MOVE'
    : undefined;
}

/** Groups empty nodes that are alike: of one group and zone. */
function alike(nodes: readonly NodeView[]): readonly (readonly NodeView[])[] {
  const runs = new Map<string, NodeView[]>();
  for (const node of nodes) {
    const kind = JSON.stringify([node.nodeGroupId, node.zone ?? '']);
    const run = runs.get(kind);
    if (run) run.push(node);
    else runs.set(kind, [node]);
  }
  return [...runs.values()];
}

/** Returns how many of these nodes, from the first on, are not needed: so many that one more would be. Few simulations find it. */
function unneededOf(run: readonly NodeView[], rest: Rest): { readonly count: number; readonly why?: ShrinkBlock } {
  const all = rest.blockOf(run);
  if (all === undefined) return { count: run.length };
  let [low, high, why] = [0, run.length - 1, all];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const block = rest.blockOf(run.slice(0, middle));
    if (block === undefined) low = middle;
    else {
      high = middle - 1;
      why = block;
    }
  }
  return { count: low, why };
}

/** Nodes with containers in the order in which they are simulated: candidates first, the others in turn from one evaluation to the next. */
function inTurn(nodes: readonly NodeView[], { since, now, simulations = Infinity }: ShrinkInput): readonly NodeView[] {
  const known = nodes.filter(({ id }) => since.has(id));
  const others = nodes.filter(({ id }) => !since.has(id));
  const from = nodes.length > simulations ? Math.floor(now / 1000) % Math.max(1, others.length) : 0;
  return [...known, ...others.slice(from), ...others.slice(0, from)];
}

/**
 * Decides which nodes are not needed: without them and those chosen before, all their containers, the headroom and what sets may need again have
 * a place, and growing proposes nothing. A node is removed once that was so at every evaluation for its idle time: empty ones up to ten at once,
 * else one of the cluster. Pure. Empty nodes that are alike are simulated together, so their number hardly counts.
 */
export function shrinkNodeGroups(input: ShrinkInput): Shrink {
  const { containers, simulations = Infinity } = input;
  const groups = new Map(input.groups.map(group => [group.id, group]));
  const rest = new Rest(input);
  const chosen: NodeView[] = [];
  const blocked = new Map<string, ShrinkBlock>();
  const held = new Map<string, HeldRequest[]>();
  for (const container of containers) held.set(container.nodeId, [...(held.get(container.nodeId) ?? []), container]);
  const isEmpty = ({ id, containers: count }: NodeView): boolean => count === 0 && !held.has(id);
  const open: NodeView[] = [];
  for (const node of inOrder(input.nodes)) {
    const block = ownBlock(node, groups.get(node.nodeGroupId), held.get(node.id) ?? [], input);
    if (block === undefined) open.push(node);
    else blocked.set(node.id, block);
  }
  const spare = ({ nodeGroupId }: NodeView): number => {
    const { count = 0, minCount = 0 } = groups.get(nodeGroupId) ?? {};
    return count - minCount - rest.removedOf(nodeGroupId);
  };
  const take = (node: NodeView): void => {
    rest.remove(node);
    chosen.push(node);
  };
  for (const run of alike(open.filter(isEmpty))) {
    const [first] = run;
    const allowed = first ? run.slice(0, spare(first)) : [];
    const { count, why = 'AT_MIN' } = unneededOf(allowed, rest);
    for (const node of allowed.slice(0, count)) take(node);
    for (const node of allowed.slice(count)) blocked.set(node.id, why);
    for (const node of run.slice(allowed.length)) blocked.set(node.id, 'AT_MIN');
  }
  let left = simulations;
  for (const node of inTurn(
    open.filter(node => !isEmpty(node)),
    input,
  )) {
    const block = spare(node) <= 0 ? 'AT_MIN' : left-- <= 0 ? 'NOT_SIMULATED' : rest.blockOf([node]);
    if (block === undefined) take(node);
    else blocked.set(node.id, block);
  }
  return ripeOf(chosen, input, blocked, isEmpty);
}

/** Returns the candidates, and those among them that have been so for long enough. */
function ripeOf(
  chosen: readonly NodeView[],
  { now, since: before, groups }: ShrinkInput,
  blocked: Map<string, ShrinkBlock>,
  isEmpty: (node: NodeView) => boolean,
): Shrink {
  const since = new Map(chosen.map(({ id }) => [id, before.get(id) ?? now]));
  const ripe = chosen.flatMap(node => {
    const { id: groupId, autoscaling } = groups.find(({ id }) => id === node.nodeGroupId) ?? {};
    const from = since.get(node.id) ?? now;
    if (groupId !== undefined && autoscaling && now >= from + autoscaling.idleSeconds * 1000)
      return [{ nodeId: node.id, groupId, isEmpty: isEmpty(node) }];
    blocked.set(node.id, 'NOT_IDLE_LONG');
    return [];
  });
  const empty = ripe.filter(each => each.isEmpty);
  return { remove: empty.length > 0 ? empty.slice(0, MOST_EMPTY) : ripe.slice(0, 1), since, blocked };
}
