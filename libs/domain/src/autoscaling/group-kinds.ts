import type { NodeView, PlacementRequest } from '../placement/index.js';
import { costOf, type ScaledGroup } from './node-group-autoscaling.js';

/** Returns whether these requests distinguish a label of a node from others of its name: they select it, or are spread or apart by it. */
export function labelsAskedFor(requests: readonly PlacementRequest[]): (name: string, value: string) => boolean {
  const selected = new Set<string>();
  const keys = new Set<string>();
  for (const { nodeSelector = {}, affinity = [], spread = [] } of requests) {
    for (const label of Object.entries(nodeSelector)) selected.add(JSON.stringify(label));
    for (const { by } of [...affinity, ...spread]) keys.add(by);
  }
  return (name, value) => keys.has(`label:${name}`) || selected.has(JSON.stringify([name, value]));
}

/** Names everything by which the offers of two groups for the same requests can differ, except their names. */
export function kindOf(
  group: ScaledGroup,
  fresh: readonly NodeView[],
  asks: ReturnType<typeof labelsAskedFor>,
): string {
  const seen = fresh.map(({ id: _id, name: _name, nodeGroupId: _group, labels, ...view }) => {
    const asked = Object.entries(labels).filter(([name, value]) => asks(name, value));
    return [view, asked.sort(([a], [b]) => (a < b ? -1 : 1))];
  });
  return JSON.stringify([costOf(group), seen]);
}
