import { DEFAULT_PLACEMENT_POLICY } from '../filters/index.js';
import type { NodeView, PlacementDecision } from '../model.js';
import { place } from '../place.js';
import type { Change, ExplainInput } from './model.js';

/** A simulation is not shown. */
const TRIAL = { explains: false };

interface Simulated {
  readonly nodeId: string;
  readonly places: number;
}

/**
 * Places the request, and what is moved for it, on the snapshot with the changes. Undefined when any of them finds no node; `ahead` when
 * only what waits longer leaves none for them.
 */
export function simulate(
  { table, request, ahead = [], policy = DEFAULT_PLACEMENT_POLICY, seed = 0 }: ExplainInput,
  changes: readonly Change[],
): Simulated | 'ahead' | undefined {
  const before: NodeView[] = [];
  const added: string[] = [];
  let changed = request;
  for (const { request: change, node, nodeId, adds } of changes) {
    if (change !== undefined) changed = change(changed);
    const view = nodeId === undefined ? undefined : table.view(nodeId);
    if (node !== undefined && view !== undefined) {
      before.push(view);
      table.set(node(view));
    }
    for (const view of adds ?? []) {
      table.set(view);
      added.push(view.id);
    }
  }
  const moved = changes.flatMap(({ moves = [], nodeId }) =>
    moves.map(move => ({ ...move, avoid: [...(move.avoid ?? []), ...(nodeId === undefined ? [] : [nodeId])] })),
  );
  const asked = [changed, ...moved];
  let decisions: readonly PlacementDecision[] = place(table, asked, policy, seed, TRIAL);
  // what waits longer is asked only where it matters, since there can be much of it
  const isAlone = ahead.length > 0 && decisions.every(({ placed }) => placed);
  if (isAlone) decisions = place(table, [...ahead, ...asked], policy, seed, TRIAL).slice(ahead.length);
  for (const view of before.reverse()) table.set(view);
  for (const id of added.reverse()) table.delete(id);
  const [first] = decisions;
  if (first?.placed !== true || !decisions.every(({ placed }) => placed)) return isAlone ? 'ahead' : undefined;
  return { nodeId: first.nodeId, places: decisions.length };
}
