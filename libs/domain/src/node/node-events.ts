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
  /** The number of the group's specification that the node is built from; 0 is the first. */
  readonly build?: number;
  /** The number of the group's change of labels and taints that the node has; 0 is the first. */
  readonly metadataGeneration?: number;
}

/** Labels and taints of a group, with the number of their change. */
export interface NodeMetadata extends Pick<NodeGroupSpec, 'labels' | 'taints'> {
  readonly metadataGeneration: number;
}

/** A node of a node group was declared; a conductor builds it. */
export type NodeDeclared = DomainEvent<'NodeDeclared', NodeDeclaration>;
/** The node is built, reachable and in service. */
export type NodeBecameActive = DomainEvent<'NodeBecameActive', { readonly nodeGroupId: string }>;
/** The node takes no new containers. */
export type NodeCordoned = DomainEvent<'NodeCordoned', { readonly operationId?: string }>;
/** The node takes containers again. */
export type NodeUncordoned = DomainEvent<'NodeUncordoned', Record<string, never>>;
/** A drain was requested: the node takes no new containers, and its containers leave. */
export type NodeDrainRequested = DomainEvent<
  'NodeDrainRequested',
  { readonly operation: OperationStart; readonly deadline?: string }
>;
/** The drain ended before the node was empty. The node stays cordoned. */
export type NodeDrainStopped = DomainEvent<'NodeDrainStopped', { readonly reason: string }>;
/** No container is left on the node. */
export type NodeDrained = DomainEvent<'NodeDrained', Record<string, never>>;
/** The removal of the node was requested: its containers leave first, then its infrastructure is removed. */
export type NodeRemovalRequested = DomainEvent<
  'NodeRemovalRequested',
  { readonly reason: string; readonly operationId: string }
>;
/**
 * A rebuild of the node was requested: its containers leave, then its infrastructure is built again with the same id
 * and ordinal.
 */
export type NodeRebuildRequested = DomainEvent<'NodeRebuildRequested', { readonly operation: OperationStart }>;
/** A rollout of the node group reached the node: it is rebuilt once its containers have left, or rebooted. */
export type NodeRolloutRequested = DomainEvent<
  'NodeRolloutRequested',
  { readonly rolloutId: string; readonly kind: NodeRolloutKind; readonly operationId: string }
>;
/** Labels or taints of the node group changed; the infrastructure of the node has to follow. */
export type NodeUpdateRequested = DomainEvent<'NodeUpdateRequested', NodeMetadata & { readonly operationId: string }>;
/** A reboot of the node was requested. */
export type NodeRebootRequested = DomainEvent<
  'NodeRebootRequested',
  { readonly operation: OperationStart; readonly type: 'soft' | 'hard' }
>;
/**
 * The node was deleted. Nothing of it is left on the infrastructure; with `abandoned`, its removal failed and
 * something may be left.
 */
export type NodeDeleted = DomainEvent<
  'NodeDeleted',
  {
    readonly nodeGroupId: string;
    readonly abandoned?: { readonly reason: string; readonly infrastructureId?: string };
  }
>;
/** The infrastructure of the node is missing or does not run although it should. */
export type NodeBecameUnreachable = DomainEvent<'NodeBecameUnreachable', { readonly reason: string }>;
/**
 * Work of the node whose retries were exhausted is retried: requested by a user (`operation`) or by the node group
 * (`operationId`).
 */
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
