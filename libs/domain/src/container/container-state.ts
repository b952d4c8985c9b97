import type { TaskKindOf } from '@stave/driver-sdk';
import type { ObservedHealth, UnitObservation } from '../kernel/observation.js';
import { endOf, operationEnded, type OperationStart } from '../kernel/operation.js';
import type { ReservedAttachments } from '../placement/lent-attachments.js';
import type { AvoidedFor } from '../placement/model.js';
import type { AwaitedRelease } from '../policy/awaited-release.js';
import type { Work } from '../task/task-state.js';
import type {
  ContainerDeclaration,
  ContainerEvent,
  ContainerEvents,
  PlacementExplanation,
} from './container-events.js';
import type { ContainerContents } from './container-spec.js';

export type ContainerTaskKind = TaskKindOf<'container'>;
export type ContainerStatus =
  'CREATING' | 'ACTIVE' | 'UPDATING' | 'STOPPED' | 'UNSCHEDULABLE' | 'UNREACHABLE' | 'FAILED' | 'DELETING';

/** A running operation. With `deletes` it ends when nothing of the container is left. */
interface ContainerOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

interface RecentRejection {
  readonly times: number;
  readonly since: string;
  readonly why?: AvoidedFor;
}

export interface ContainerState {
  readonly declared: ContainerDeclaration;
  readonly contents: ContainerContents;
  /** The contents before the update under way. */
  readonly previousContents?: ContainerContents;
  readonly status: ContainerStatus;
  readonly statusReason?: string;
  /** The node that has the container or a rest of it; absent while the container is pending. */
  readonly nodeId?: string;
  readonly placement?: PlacementExplanation & { readonly nodeId: string; readonly at: string };
  /** The network, volumes and ports that it has on its node. */
  readonly attached?: ReservedAttachments;
  readonly unschedulable?: ContainerEvents['ContainerUnschedulable'];
  readonly desired: 'running' | 'stopped';
  /** Why the container is being evicted. */
  readonly evictionReason?: string;
  /** Nodes that the container is not placed on for a while, after how many times in a row, since when, and why unless they lacked resources. */
  readonly recentlyRejectedBy: Readonly<Record<string, RecentRejection>>;
  /** Its removal waits for this release. `isRequested`: its hook was called. */
  readonly release?: ContainerEvents['ContainerReleaseAwaited'] & AwaitedRelease;
  /** The seconds that it has to stop when it is deleted; absent: its own. */
  readonly graceSeconds?: number;
  readonly nodeLost: boolean;
  readonly deleting: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  /** The generation of the unit on the infrastructure, also while it is missing; 0 without one. */
  readonly builtGeneration: number;
  /** The number of accepted changes by operators. */
  readonly revision: number;
  readonly work: Work<ContainerTaskKind>;
  readonly operations: readonly ContainerOperation[];
  readonly address?: string;
  /** Since when the container is active, or was the last time. */
  readonly activeSince?: string;
  /** The number of requested restarts. */
  readonly restarts: number;
  /** The last observation since a task of the container was completed. */
  readonly observed?: Omit<UnitObservation, 'health'>;
  /** The last result of the health checks of the present run; absent while the container does not run or none is known. */
  readonly health?: ObservedHealth;
  /** The container is missing, and does not fail before a later loss of the cluster is accepted. */
  readonly suspectedLoss?: { readonly acceptances: number };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** `none`: it has no health check; `unknown`: it does not run, or nothing has shown its health yet. */
export type ShownHealth = ObservedHealth | 'none';

export const healthOf = ({ contents, health = 'unknown' }: ContainerState): ShownHealth =>
  contents.healthCheck ? health : 'none';

/** Returns whether the container waits for a node. */
export const isPending = (s: ContainerState): boolean =>
  s.nodeId === undefined && !s.deleting && !s.deleted && !s.nodeLost;

/** Returns whether the unit of the container is on its node, as far as is known. */
export const isBuilt = ({ builtGeneration, observed, suspectedLoss }: ContainerState): boolean =>
  builtGeneration > 0 && observed?.state !== 'missing' && !suspectedLoss;

const REJECTION_BACKOFF_BASE_MS = 30_000;
const REJECTION_BACKOFF_MAX_MS = 10 * 60_000;
/** From this rejection in a row on the back-off is the longest. */
export const LONGEST_REJECTION = 6;

/**
 * Returns the milliseconds for which a node is not considered after it rejected a container for the n-th time in a row. The time
 * doubles with each rejection.
 */
export const rejectionBackoffMs = (times: number): number =>
  Math.min(REJECTION_BACKOFF_MAX_MS, REJECTION_BACKOFF_BASE_MS * 2 ** (times - 1));

/** Ends the operations of a deleted container: its deletion succeeded, every other one failed. */
export const endOperations = ({ operations }: ContainerState, own?: OperationStart): readonly ContainerEvent[] => [
  ...operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED')),
  ...endOf(own, 'SUCCEEDED'),
];
