import type { NodeResult, TaskKindOf } from '@stave/driver-sdk';
import type { AwaitedRelease } from '../policy/awaited-release.js';
import type { Work } from '../task/task-state.js';
import type { NodeDeclaration, NodeEvents, NodeMetadata } from './node-events.js';

export type NodeTaskKind = TaskKindOf<'node'>;
export type NodeStatus =
  'CREATING' | 'ACTIVE' | 'UPDATING' | 'FAILED' | 'DRAINING' | 'REBOOTING' | 'UNREACHABLE' | 'DELETING';

export interface NodeState {
  readonly declared: NodeDeclaration;
  readonly status: NodeStatus;
  readonly statusReason?: string;
  /** The machine that the node is made of. */
  readonly machineId?: string;
  readonly schedulable: boolean;
  /** The node was built at least once, so containers may be on it. */
  readonly wasActive: boolean;
  readonly drained: boolean;
  readonly drainDeadline?: string;
  /** Why the containers have not left yet, where their sets do not let them go. */
  readonly evictionDelay?: string;
  /** The driver was asked to do its part of a drain, and not yet to undo it. */
  readonly engineDrained: boolean;
  /** A rebuild was requested. With `uncordonAfter`, the node takes containers again afterwards. */
  readonly rebuilding?: { readonly operationId: string; readonly uncordonAfter: boolean };
  /** The last rollout that included the node, and whether the node has completed it. */
  readonly rollout?: { readonly id: string; readonly done: boolean };
  /** Labels and taints that the driver has to apply. */
  readonly updating?: NodeMetadata;
  /** Why the driver could not apply them for this operation. */
  readonly metadataUpdateFailure?: { readonly operationId: string; readonly reason: string };
  /** The node is missing, and nothing is built again before a later loss of the cluster is accepted. */
  readonly suspectedLoss?: { readonly acceptances: number };
  /** The infrastructure of the node was lost: nothing runs on it before it is built again, also while it is removed. */
  readonly lost?: true;
  /** Nothing of the node is on the infrastructure: its data is gone, too. */
  readonly missing?: true;
  readonly removing: boolean;
  /** The operation for which the group last requested the removal. */
  readonly removalOperationId?: string;
  /** The seconds that its containers have to stop; absent: what they ask for. */
  readonly graceSeconds?: number;
  /** The removal that waits for a release. */
  readonly release?: NodeEvents['NodeReleaseAwaited'] & AwaitedRelease;
  readonly deleted: boolean;
  /** Why the node was deleted although something of it may be left. */
  readonly abandoned?: string;
  readonly generation: number;
  /** The generation that was last built; 0 before the first. A reboot builds nothing. */
  readonly builtGeneration: number;
  /** The number of accepted changes by an operator or the group. */
  readonly revision: number;
  readonly work: Work<NodeTaskKind>;
  readonly result?: NodeResult;
  readonly attempts: number;
  /** The node's own operation that is running. */
  readonly operation?: { readonly id: string; readonly kind: string };
  /** The operation was accepted with a plan that contains no successor of the node. */
  readonly planned?: true;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Returns whether the node takes containers, as far as users and its group are concerned. */
export const isOpenNode = ({ schedulable, removing, release }: NodeState): boolean =>
  schedulable && !removing && release === undefined;

/** Returns why the containers have to leave the node; undefined when they may stay. */
export function nodeEvictionReason(state: NodeState): 'removed' | 'rebuilt' | 'drained' | undefined {
  if (!state.wasActive || state.deleted) return undefined;
  if (state.removing) return 'removed';
  if (state.drained) return undefined;
  if (state.rebuilding) return 'rebuilt';
  return state.status === 'DRAINING' ? 'drained' : undefined;
}
