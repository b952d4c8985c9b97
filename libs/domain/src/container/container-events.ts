import type { TaskKindOf } from '@stave/driver-sdk';
import type { EventOf } from '../kernel/decider.js';
import type { ObservedHealth, UnitObservation } from '../kernel/observation.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { ReservedAttachments } from '../placement/lent-attachments.js';
import type { Placed, Unschedulable } from '../placement/model.js';
import type { TaskEvent } from '../task/task-state.js';
import type { ContainerContents, PlacementTarget } from './container-spec.js';

export type PlacementExplanation = Omit<Placed, 'placed' | 'requestId' | 'nodeId'>;

export interface ContainerDeclaration extends PlacementTarget {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** The profile that the contents were copied from. Later changes of the profile have no effect. */
  readonly profileId: string;
  readonly clusterId: string;
  readonly contents: ContainerContents;
  /** Present when the container was requested on its own. */
  readonly operation?: OperationStart;
  /** The operation of the set that it is created for. */
  readonly operationId?: string;
  /** The revision of the profile that the contents were copied from, where that is known. */
  readonly profileRevision?: number;
  /** The set that the container is a member of, and its number there. */
  readonly setId?: string;
  readonly ordinal?: number;
  /** The node on which its predecessor failed: another one is taken where one fits. */
  readonly passOver?: string;
  /** Which of its networks and volumes are resources; absent in containers of earlier releases: none is. */
  readonly manages?: readonly AttachmentKind[];
}

export type AttachmentKind = 'network' | 'volume';

/** What a container demands of its node beside room. */
export type ContainerDemands = Pick<ContainerContents, 'nodeSelector' | 'zone' | 'region' | 'tolerations' | 'ports'> &
  /** Absent: as before. An empty list demands nothing. */
  Pick<ContainerContents, 'spread' | 'affinity'>;

interface Requested {
  /** Absent when the system itself made the request. */
  readonly operation?: OperationStart;
}

export interface ContainerEvents {
  /** A container was requested; the scheduler looks for a node. */
  ContainerCreated: ContainerDeclaration;
  /** Resources for the container are reserved on this node; it is built there. */
  ContainerPlaced: {
    readonly nodeId: string;
    readonly explanation: PlacementExplanation;
    /** Network, volumes and ports that are reserved with it; absent: none. */
    readonly attached?: ReservedAttachments;
  };
  /** No node can take the container now. Placement is retried when something changes. */
  ContainerUnschedulable: {
    readonly reason: string;
    readonly remedy: Unschedulable['remedy'];
    readonly refusals: Unschedulable['refusals'];
  };
  /** The only node that may run the container was removed. */
  ContainerNodeLost: { readonly nodeId: string; readonly reason: string };
  /** The container runs. */
  ContainerBecameActive: { readonly address?: string };
  /**
   * The container was found in another state than before although no change was requested: it exited, was restarted by
   * its engine, or is missing.
   */
  ContainerObserved: Omit<UnitObservation, 'health'>;
  /** The health checks of the running container show another result than before; it is `starting` when it was just built or started. */
  ContainerHealthChanged: { readonly health: ObservedHealth };
  /**
   * The container is missing from its node together with many others: nothing is built again and nothing fails before it is seen again
   * or the loss is accepted. `acceptances`: how many losses of the cluster were accepted before.
   */
  ContainerLossSuspected: { readonly clusterId: string; readonly reason: string; readonly acceptances: number };
  /** The container was stopped as requested. */
  ContainerStopped: Record<string, never>;
  /** A start of the stopped container was requested. */
  ContainerStartRequested: Requested;
  /** A stop of the container was requested. It keeps its node. */
  ContainerStopRequested: Requested;
  /** A restart of the container on its node was requested. */
  ContainerRestartRequested: Requested;
  /** The health policy of its set has the container started again, or built again with its id, on its node. */
  ContainerRepairRequested: {
    readonly do: 'restart' | 'recreate';
    readonly reason: string;
    readonly operationId: string;
  };
  /** Labels of the container changed, or its limits and restart policy; its node applies those. */
  ContainerUpdated: Requested &
    Pick<ContainerContents, 'labels'> &
    Partial<Pick<ContainerContents, 'resources' | 'restartPolicy'>>;
  /**
   * What the waiting container demands of its node changed: members that are absent are not demanded any more, except for
   * `spread` and `affinity`, which are then as before. Labels, limits and restart
   * policy are those from now on.
   */
  ContainerDemandsChanged: Requested &
    ContainerDemands &
    Pick<ContainerContents, 'labels' | 'resources' | 'restartPolicy'>;
  /**
   * The container has to leave its node, because a user moves it (`operation`), or because the node drains, is removed, has too few resources for it (`insufficientResources`) or lacks
   * a plug-in that it needs (`missingPlugin`). It is removed there and placed again.
   */
  ContainerEvictionRequested: Requested & {
    readonly nodeId: string;
    readonly reason: string;
    readonly insufficientResources?: boolean;
    /** The seconds that it has to stop, where the deletion policy of the node's group says so. */
    readonly graceSeconds?: number;
    /** The node lacks the driver of its network or of a volume: it is passed over for ten minutes. */
    readonly missingPlugin?: true;
  };
  /** Nothing of the container is left on the node that it had to leave. */
  ContainerRemovedFromNode: { readonly nodeId: string; readonly reason: string };
  /**
   * The deletion of the container was requested. `operationId` is the operation of the request that caused it, which may
   * belong to another resource.
   */
  ContainerDeletionRequested: Requested & {
    readonly operationId: string;
    readonly reason: string;
    /** The seconds that it has to stop, where the deletion policy of its set says so. */
    readonly graceSeconds?: number;
  };
  /** Its removal waits until it is released, or `until`; it stays in service. `url`: where that is asked for. */
  ContainerReleaseAwaited: {
    readonly setId: string;
    readonly until: string;
    readonly onTimeout: 'proceed' | 'abort';
    readonly url?: string;
  };
  /** The host of the hook took the request for the release, or did not after several attempts. */
  ContainerReleaseRequested: { readonly url: string; readonly delivered: boolean; readonly attempts: number };
  /** Its removal does not wait any more; it is kept unless its deletion follows. */
  ContainerReleaseEnded: Record<string, never>;
  /** Work of the container whose retries were exhausted is retried. */
  ContainerTaskRetried: { readonly operation: OperationStart };
  /** The container was deleted. Nothing of it is left. */
  ContainerDeleted: { readonly clusterId: string };
}

export type ContainerCreated = EventOf<ContainerEvents, 'ContainerCreated'>;
export type ContainerLossSuspected = EventOf<ContainerEvents, 'ContainerLossSuspected'>;
export type ContainerDeleted = EventOf<ContainerEvents, 'ContainerDeleted'>;
export type ContainerEvent =
  EventOf<ContainerEvents> | OperationEnded | OperationCancelRequested | TaskEvent<TaskKindOf<'container'>>;
