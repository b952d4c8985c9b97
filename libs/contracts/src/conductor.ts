import type { Holding, OfferedDriver } from '@stave/domain';
import type { ServiceName } from './subjects.js';

/** The answer to `conductor.epoch` of cluster-service, which a member requests before it registers. */
export interface EpochReply {
  readonly epoch: number;
  /** The installation, which a conductor has to know to open its drivers. Older releases omit it. */
  readonly installation?: string;
}

/**
 * The body of `conductor.register` of cluster-service, for conductors and for services, which have no drivers and no group. A session may
 * register again with other drivers: what it offers changes, its slots of other drivers and its claims do not.
 */
export interface RegisterRequest {
  /** The kind of member; default `conductor`. */
  readonly kind?: 'conductor' | 'service';
  readonly conductor: string;
  /** The epoch when this attempt began. A newer registration of the same member since then makes the request void. */
  readonly basedOn?: number;
  /** The session id, new at every start and after every expiry. */
  readonly session: string;
  readonly group: string;
  /** Only drivers that have opened: nobody waits for one whose infrastructure the conductor has never reached. */
  readonly drivers: readonly OfferedDriver[];
  readonly weight: number;
  readonly release: string;
  readonly keyMode: 'group' | 'pinned';
}

export interface RegisterReply {
  readonly installation: string;
  readonly epoch: number;
  readonly heartbeatMs: number;
  /** Milliseconds without a heartbeat after which a session ends. */
  readonly sessionTimeoutMs: number;
}

/** Published on `heartbeatSubject`. */
export interface Heartbeat {
  readonly member: string;
  readonly session: string;
  readonly sequence: number;
  /** The number of running tasks. */
  readonly load: number;
  /** The id of the message server to which the member is connected. */
  readonly server?: string;
  /** The number of missing nodes whose loss this conductor suspects not to be their own; absent: none. */
  readonly suspectedLosses?: number;
  /** The same of containers on nodes that are there; absent: none. */
  readonly suspectedContainerLosses?: number;
}

/** Published by every replica of cluster-service on `heartbeatReplySubject(member)`. */
export interface HeartbeatReply {
  readonly session: string;
  readonly sequence: number;
  /** `ok` comes only from the elected replica, which ends silent sessions; `unknown` does not count as an answer. */
  readonly status: 'ok' | 'ended' | 'unknown';
  readonly epoch: number;
}

/** The conductor that sends a request, and its session. */
export interface ConductorSession {
  readonly conductor: string;
  readonly session: string;
}

/** The body of a hint. Without a service, which earlier releases do not name, every service may have work. */
export interface WorkHint {
  readonly service?: ServiceName;
}

/** The body of `conductor.table` of cluster-service, which a conductor sends on a new epoch. */
export type TableRequest = ConductorSession;

export interface TableReply {
  readonly epoch: number;
  readonly draining: boolean;
  /** The deadline of a draining conductor for its running tasks (ISO 8601). */
  readonly drainUntil?: string;
  readonly holdings: readonly Holding[];
}

/** The body of `conductor.leave`, sent when no task runs any more. */
export type LeaveRequest = ConductorSession;
