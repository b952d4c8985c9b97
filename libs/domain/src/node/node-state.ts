import type { NodeResult, TaskKindOf } from '@stave/driver-sdk';
import { noWork, type Work } from '../task/task-state.js';
import type { NodeDeclaration, NodeMetadata } from './node-events.js';

export type NodeTaskKind = TaskKindOf<'node'>;
export type NodeStatus =
  'CREATING' | 'ACTIVE' | 'UPDATING' | 'FAILED' | 'DRAINING' | 'REBOOTING' | 'UNREACHABLE' | 'DELETING';

export interface NodeState {
  readonly declared?: NodeDeclaration;
  readonly status: NodeStatus;
  readonly statusReason?: string;
  readonly schedulable: boolean;
  /** It was built once, so containers may be on it. */
  readonly wasActive: boolean;
  readonly drained: boolean;
  readonly drainDeadline?: string;
  /** The driver was asked to do its own part of a drain, and not yet to undo it. */
  readonly engineDrained: boolean;
  /** It is to be rebuilt; with `uncordonAfter` it takes containers again afterwards. */
  readonly rebuilding?: { readonly operationId: string; readonly uncordonAfter: boolean };
  /** The last round through its group that it was asked to take part in, and whether it has been through. */
  readonly rollout?: { readonly id: string; readonly done: boolean };
  /** Labels and taints that its driver is to learn of. */
  readonly updating?: NodeMetadata;
  /** Its driver could not change them, as this operation asked for it. */
  readonly metadataUpdateFailure?: { readonly operationId: string; readonly reason: string };
  readonly removing: boolean;
  /** The operation for which its group asked for its removal last. */
  readonly removalOperationId?: string;
  readonly deleted: boolean;
  /** Why it was deleted though something of it may be left. */
  readonly abandoned?: string;
  readonly generation: number;
  /** The generation whose building was completed last; 0 before the first. A reboot builds nothing. */
  readonly builtGeneration: number;
  /** Accepted changes of an operator or its group. */
  readonly revision: number;
  readonly work: Work<NodeTaskKind>;
  readonly result?: NodeResult;
  readonly attempts: number;
  /** The operation that changes this node now, if it is the node's own. */
  readonly operation?: { readonly id: string; readonly kind: string };
  /** It was accepted with a plan, which says nothing of a successor. */
  readonly planned?: true;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialNode: NodeState = {
  status: 'CREATING',
  schedulable: true,
  wasActive: false,
  drained: false,
  engineDrained: false,
  removing: false,
  deleted: false,
  generation: 0,
  builtGeneration: 0,
  revision: 0,
  work: noWork,
  attempts: 0,
  createdAt: '',
  updatedAt: '',
};

/** Why its containers shall leave now; undefined when they may stay. */
export function nodeEvictionReason(state: NodeState): 'removed' | 'rebuilt' | 'drained' | undefined {
  if (!state.wasActive || state.deleted) return undefined;
  if (state.removing) return 'removed';
  if (state.drained) return undefined;
  if (state.rebuilding) return 'rebuilt';
  return state.status === 'DRAINING' ? 'drained' : undefined;
}
