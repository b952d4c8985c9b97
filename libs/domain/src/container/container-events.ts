import type { TaskKindOf } from '@stave/driver-sdk';
import type { UnitObservation } from '../health/observation.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { Placed, Unschedulable } from '../placement/model.js';
import type { TaskEvent } from '../task/task-events.js';
import type { ContainerContents, ContainerHosts } from './container-spec.js';

export type PlacementExplanation = Omit<Placed, 'placed' | 'requestId' | 'nodeId'>;

export interface ContainerDeclaration extends ContainerHosts {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** The profile that it was copied from; what becomes of that does not matter any more. */
  readonly profileId: string;
  readonly clusterId: string;
  readonly contents: ContainerContents;
  readonly operation: OperationStart;
}

interface Requested {
  /** Absent when the system itself asked. */
  readonly operation?: OperationStart;
}

/** It is asked for; the scheduler looks for a node. */
export type ContainerCreated = DomainEvent<'ContainerCreated', ContainerDeclaration>;
/** Its room is reserved on this node: build it there. */
export type ContainerPlaced = DomainEvent<
  'ContainerPlaced',
  { readonly nodeId: string; readonly explanation: PlacementExplanation }
>;
/** No node can take it now; it is tried again when something changes. */
export type ContainerUnschedulable = DomainEvent<
  'ContainerUnschedulable',
  { readonly reason: string; readonly remedy: Unschedulable['remedy']; readonly refusals: Unschedulable['refusals'] }
>;
/** The only node that it may run on is gone for good. */
export type ContainerNodeLost = DomainEvent<'ContainerNodeLost', { readonly nodeId: string; readonly reason: string }>;
/** It runs. */
export type ContainerBecameActive = DomainEvent<'ContainerBecameActive', { readonly address?: string }>;
/** Found otherwise on its node than before, though nobody asked: it ended, was restarted by its engine, or is gone. */
export type ContainerObserved = DomainEvent<'ContainerObserved', UnitObservation>;
/** It was stopped as asked. */
export type ContainerStopped = DomainEvent<'ContainerStopped', Record<string, never>>;
/** It is stopped and shall run. */
export type ContainerStartRequested = DomainEvent<'ContainerStartRequested', Requested>;
/** It runs and shall stop; its place stays. */
export type ContainerStopRequested = DomainEvent<'ContainerStopRequested', Requested>;
/** It shall stop and run again, at its place. */
export type ContainerRestartRequested = DomainEvent<'ContainerRestartRequested', Requested>;
/** Labels changed; or limits and restart policy, too, which its node is told. */
export type ContainerUpdated = DomainEvent<
  'ContainerUpdated',
  Requested & Pick<ContainerContents, 'labels'> & Partial<Pick<ContainerContents, 'resources' | 'restartPolicy'>>
>;
/** Its node drains, goes, or had no room for it after all (`noRoom`): it is removed there, then placed anew. */
export type ContainerEvictionRequested = DomainEvent<
  'ContainerEvictionRequested',
  { readonly nodeId: string; readonly reason: string; readonly insufficientResources?: boolean }
>;
/** Nothing of it is left on the node that it had to leave. */
export type ContainerRemovedFromNode = DomainEvent<
  'ContainerRemovedFromNode',
  { readonly nodeId: string; readonly reason: string }
>;
/** It shall go; `operationId` is that of the request that caused it, which may be another resource's. */
export type ContainerDeletionRequested = DomainEvent<
  'ContainerDeletionRequested',
  Requested & { readonly operationId: string; readonly reason: string }
>;
/** Work that was given up is tried again. */
export type ContainerTaskRetried = DomainEvent<'ContainerTaskRetried', { readonly operation: OperationStart }>;
/** Nothing of it is left. */
export type ContainerDeleted = DomainEvent<'ContainerDeleted', { readonly clusterId: string }>;

export type ContainerEvent =
  | ContainerCreated
  | ContainerPlaced
  | ContainerUnschedulable
  | ContainerNodeLost
  | ContainerBecameActive
  | ContainerObserved
  | ContainerStopped
  | ContainerStartRequested
  | ContainerStopRequested
  | ContainerRestartRequested
  | ContainerUpdated
  | ContainerEvictionRequested
  | ContainerRemovedFromNode
  | ContainerDeletionRequested
  | ContainerTaskRetried
  | ContainerDeleted
  | OperationEnded
  | OperationCancelRequested
  | TaskEvent<TaskKindOf<'container'>>;
