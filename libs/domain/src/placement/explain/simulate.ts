import { DEFAULT_PLACEMENT_POLICY } from '../filters/index.js';
import type { NodeView, PlacementDecision } from '../model.js';
import { place } from '../place.js';
import type { Change, ExplainInput } from './model.js';

/** Places the request, and what is moved for it, on the snapshot with the changes. Undefined when any of them finds no node. */
export function simulate(
  { table, request, policy = DEFAULT_PLACEMENT_POLICY, seed = 0 }: ExplainInput,
  changes: readonly Change[],
): { readonly nodeId: string; readonly places: number } | undefined {
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
    if (adds !== undefined) {
      table.set(adds);
      added.push(adds.id);
    }
  }
  const moved = changes.flatMap(({ moves = [], nodeId }) =>
    moves.map(move => ({ ...move, avoid: [...(move.avoid ?? []), ...(nodeId === undefined ? [] : [nodeId])] })),
  );
  const decisions: readonly PlacementDecision[] = place(table, [changed, ...moved], policy, seed);
  for (const view of before.reverse()) table.set(view);
  for (const id of added.reverse()) table.delete(id);
  const [first] = decisions;
  if (first?.placed !== true || !decisions.every(({ placed }) => placed)) return undefined;
  return { nodeId: first.nodeId, places: decisions.length };
}
