import type { NodeView, PlacementRequest } from '../placement/index.js';
import { growNodeGroups } from './grow-node-groups.js';
import { headroomOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

/** Why a node is not removed. */
export type ShrinkBlock =
  | 'DISABLED'
  | 'AT_MIN'
  | 'USED'
  | 'CANNOT_MOVE'
  | 'NO_OTHER_PLACE'
  | 'WOULD_GROW'
  | 'WAITING'
  | 'JUST_GREW'
  | 'NOT_IDLE_LONG';

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

  constructor(private readonly input: ShrinkInput) {}

  removedOf(groupId: string): number {
    return this.removed.get(groupId) ?? 0;
  }

  /** Returns why the node is needed besides those that are gone already. */
  blockOf({ id }: NodeView): ShrinkBlock | undefined {
    const { containers, reserve, groups, nodes, place, now } = this.input;
    const gone = new Set([...this.gone, id]);
    const stay = nodes.filter(node => !gone.has(node.id));
    const moving = containers.filter(({ nodeId }) => gone.has(nodeId));
    const headroom = groups.flatMap(group => (group.autoscaling.enabled ? headroomOf(group) : []));
    const wanted = [...moving, ...headroom, ...reserve];
    if (place(stay, wanted).some(({ placed }) => !placed)) return 'NO_OTHER_PLACE';
    const left = groups.map(group => {
      const fewer = this.removedOf(group.id) + (nodes.find(node => node.id === id)?.nodeGroupId === group.id ? 1 : 0);
      return { ...group, count: group.count - fewer };
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
  own: readonly HeldRequest[],
  input: ShrinkInput,
  rest: Rest,
): ShrinkBlock | undefined {
  const group = input.groups.find(({ id }) => id === node.nodeGroupId);
  if (!group?.autoscaling.enabled) return 'DISABLED';
  if (input.waiting.length > 0 || input.upcoming) return 'WAITING';
  const grewAt = input.grewAt.get(group.id);
  if (grewAt !== undefined && input.now < grewAt + group.autoscaling.delayAfterGrowSeconds * 1000) return 'JUST_GREW';
  if (group.count - rest.removedOf(group.id) <= group.minCount) return 'AT_MIN';
  if (usedShare(node) >= group.autoscaling.idleThreshold) return 'USED';
  return own.some(({ movable, hostNode }) => !movable || hostNode !== undefined) ? 'CANNOT_MOVE' : undefined;
}

/**
 * Decides which nodes are not needed: without them and those chosen before, all their containers, the headroom and what sets may need again have
 * a place, and growing proposes nothing. A node is removed once that was so at every evaluation for its idle time: empty ones up to ten at once,
 * else one of the cluster. Pure.
 */
export function shrinkNodeGroups(input: ShrinkInput): Shrink {
  const { now, nodes, containers, groups } = input;
  const rest = new Rest(input);
  const since = new Map<string, number>();
  const blocked = new Map<string, ShrinkBlock>();
  const ripe: { readonly nodeId: string; readonly groupId: string; readonly isEmpty: boolean }[] = [];
  const held = new Map<string, HeldRequest[]>();
  for (const container of containers) held.set(container.nodeId, [...(held.get(container.nodeId) ?? []), container]);
  for (const node of inOrder(nodes)) {
    const own = held.get(node.id) ?? [];
    const block = ownBlock(node, own, input, rest) ?? rest.blockOf(node);
    if (block !== undefined) {
      blocked.set(node.id, block);
      continue;
    }
    rest.remove(node);
    const from = input.since.get(node.id) ?? now;
    since.set(node.id, from);
    const group = groups.find(({ id }) => id === node.nodeGroupId);
    if (!group || now < from + group.autoscaling.idleSeconds * 1000) blocked.set(node.id, 'NOT_IDLE_LONG');
    else ripe.push({ nodeId: node.id, groupId: group.id, isEmpty: own.length === 0 });
  }
  const empty = ripe.filter(({ isEmpty }) => isEmpty);
  return { remove: empty.length > 0 ? empty.slice(0, MOST_EMPTY) : ripe.slice(0, 1), since, blocked };
}
