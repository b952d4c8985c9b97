import { getOrCreate } from '../kernel/get-or-create.js';
import type { NodeView, PlacementRequest } from '../placement/index.js';
import { costOf, roomOf, type ScaledGroup } from './node-group-autoscaling.js';

type Asks = (name: string, value: string) => boolean;

/** Returns whether these requests distinguish a label of a node from others of its name: they select it, or are spread or apart by it. */
export function labelsAskedFor(requests: readonly PlacementRequest[]): Asks {
  const selected = new Set<string>();
  const keys = new Set<string>();
  for (const { nodeSelector = {}, affinity = [], spread = [] } of requests) {
    for (const label of Object.entries(nodeSelector)) selected.add(JSON.stringify(label));
    for (const { by } of [...affinity, ...spread]) keys.add(by);
  }
  return (name, value) => keys.has(`label:${name}`) || selected.has(JSON.stringify([name, value]));
}

interface NextNode {
  readonly view: NodeView;
  /** The same for nodes that differ only in their names, their group and their labels. */
  readonly kind: number;
}

/**
 * The next nodes of groups, and what they have in common. One decision examines the same groups again and again: what does not depend on the
 * requests is made once.
 */
export class GroupKinds {
  private readonly made = new Map<ScaledGroup, NextNode[]>();
  private readonly kinds = new Map<string, number>();

  /** Returns the next nodes that the group may get, at most so many. */
  next(group: ScaledGroup, most: number): readonly NodeView[] {
    return this.nodesOf(group, most).map(({ view }) => view);
  }

  /** Names everything by which the offers of at most so many nodes of two groups for the same requests can differ, except their names. */
  of(group: ScaledGroup, most: number, asks: Asks): string {
    const seen = this.nodesOf(group, most).map(({ view: { labels }, kind }) => {
      const asked = Object.entries(labels).filter(([name, value]) => asks(name, value));
      return [kind, asked.sort(([a], [b]) => (a < b ? -1 : 1))];
    });
    return JSON.stringify([costOf(group), seen]);
  }

  private nodesOf(group: ScaledGroup, most: number): readonly NextNode[] {
    const wanted = Math.min(roomOf(group), most);
    const made = getOrCreate(this.made, group, () => []);
    while (made.length < wanted) {
      const view = group.nextNode(made.length);
      made.push({ view, kind: this.kindOf(view) });
    }
    return made.slice(0, wanted);
  }

  private kindOf({ id: _id, name: _name, nodeGroupId: _group, labels: _labels, ...view }: NodeView): number {
    return getOrCreate(this.kinds, JSON.stringify(view), () => this.kinds.size);
  }
}
