import type { TaskKindOf } from '@stave/driver-sdk';
import type { DomainEvent } from '../kernel/decider.js';
import type { OperationEnded, OperationStart } from '../kernel/operation.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { TaskEvent } from '../task/task-events.js';

export interface NodeDeclaration {
  readonly id: string;
  readonly nodeGroupId: string;
  readonly clusterId: string;
  readonly projectId: string;
  readonly name: string;
  readonly groupName: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly region?: string;
  readonly spec: Pick<NodeGroupSpec, 'role' | 'flavor' | 'image' | 'dataVolumeGb' | 'labels' | 'taints' | 'options'>;
  readonly operationId: string;
  /** Which specification of its group it is built from; 0 is the first. */
  readonly build?: number;
  /** Which change of its group's labels and taints it has; 0 is the first. */
  readonly metadataGeneration?: number;
}

/** Labels and taints of a group, by the number of their change. */
export interface NodeMetadata extends Pick<NodeGroupSpec, 'labels' | 'taints'> {
  readonly metadataGeneration: number;
}

/** Its group wants this node: build it. */
export type NodeDeclared = DomainEvent<'NodeDeclared', NodeDeclaration>;
/** It is built and ready for containers. */
export type NodeBecameActive = DomainEvent<'NodeBecameActive', { readonly nodeGroupId: string }>;
/** No new container is placed here. */
export type NodeCordoned = DomainEvent<'NodeCordoned', { readonly operationId?: string }>;
/** Containers may be placed here again. */
export type NodeUncordoned = DomainEvent<'NodeUncordoned', Record<string, never>>;
/** Its containers shall leave; it stays. */
export type NodeDrainRequested = DomainEvent<
  'NodeDrainRequested',
  { readonly operation: OperationStart; readonly deadline?: string }
>;
/** It was not empty by its deadline, or a person called the drain off: what is left stays, and the node stays cordoned. */
export type NodeDrainStopped = DomainEvent<'NodeDrainStopped', { readonly reason: string }>;
/** No container is left on it. */
export type NodeDrained = DomainEvent<'NodeDrained', Record<string, never>>;
/** It shall go: containers first, then its infrastructure. */
export type NodeRemovalRequested = DomainEvent<
  'NodeRemovalRequested',
  { readonly reason: string; readonly operationId: string }
>;
/** Its containers leave, then its infrastructure is built anew, same id and ordinal. */
export type NodeRebuildRequested = DomainEvent<'NodeRebuildRequested', { readonly operation: OperationStart }>;
/** It is its turn in a round through its group: rebuilt once its containers have left, or restarted. */
export type NodeRolloutRequested = DomainEvent<
  'NodeRolloutRequested',
  { readonly rolloutId: string; readonly kind: NodeRolloutKind; readonly operationId: string }
>;
/** Its group has other labels or taints: its infrastructure shall have them, too. */
export type NodeUpdateRequested = DomainEvent<'NodeUpdateRequested', NodeMetadata & { readonly operationId: string }>;
/** Restart its infrastructure. */
export type NodeRebootRequested = DomainEvent<
  'NodeRebootRequested',
  { readonly operation: OperationStart; readonly type: 'soft' | 'hard' }
>;
/** Nothing of it is left on the infrastructure; with `abandoned`, its removal was given up, and something may be. */
export type NodeDeleted = DomainEvent<
  'NodeDeleted',
  {
    readonly nodeGroupId: string;
    readonly abandoned?: { readonly reason: string; readonly infrastructureId?: string };
  }
>;
/** Its infrastructure is not there or not running though it should. */
export type NodeBecameUnreachable = DomainEvent<'NodeBecameUnreachable', { readonly reason: string }>;
/** Work that was given up is tried again: by a person (`operation`), or because its group asked for it anew (`operationId`). */
export type NodeTaskRetried = DomainEvent<
  'NodeTaskRetried',
  { readonly operation?: OperationStart; readonly operationId?: string }
>;

export type NodeEvent =
  | NodeDeclared
  | NodeBecameActive
  | NodeCordoned
  | NodeUncordoned
  | NodeDrainRequested
  | NodeDrainStopped
  | NodeDrained
  | NodeRemovalRequested
  | NodeRebuildRequested
  | NodeRebootRequested
  | NodeRolloutRequested
  | NodeUpdateRequested
  | NodeDeleted
  | NodeBecameUnreachable
  | NodeTaskRetried
  | OperationEnded
  | TaskEvent<TaskKindOf<'node'>>;
