import type { NodeState } from './node-state.js';

/**
 * Classifies a unit on the infrastructure by the stream of its node: `never` without a node, `gone` when the node is deleted or a
 * later generation of it was built (a late create leaves such a unit), else `live`. A unit of a generation that is wanted or
 * under way is live.
 */
export function classifyNodeUnit(state: NodeState, generation: number): 'live' | 'gone' | 'never' {
  if (!state.declared) return 'never';
  return state.deleted || generation < state.builtGeneration ? 'gone' : 'live';
}
