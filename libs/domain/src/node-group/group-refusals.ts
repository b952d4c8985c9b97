import { conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import { isRollingOut } from './rollout-supersession.js';
import type { NodeGroupState } from './node-group-state.js';

/** Returns why the group cannot be changed at all. */
export function nodeGroupRefusal(state: NodeGroupState, ifMatch?: number): Refusal | undefined {
  if (!state.declared || state.deleted) return notFound('the node group');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMismatch(ifMatch, state.revision);
  return state.deleting ? conflict('being-deleted', 'the node group is being deleted') : undefined;
}

const groupBusy = (): Refusal =>
  conflict('busy', 'the nodes of its group are being replaced, rebuilt or restarted; wait for that or cancel it');

/** Returns why no node of the group may be rebuilt, rebooted, drained or replaced on its own now. */
export const nodesBusyRefusal = (state: NodeGroupState): Refusal | undefined =>
  isRollingOut(state) ? groupBusy() : undefined;
