import type { Holding, OfferedDriver } from '@stave/domain';

/** `conductor.epoch` of cluster-service: asked before a registration, which is based on it. */
export interface EpochReply {
  readonly epoch: number;
}

/** `conductor.register` of cluster-service: of conductors, and of services, which have no drivers and no group. */
export interface RegisterRequest {
  /** Default: `conductor`. */
  readonly kind?: 'conductor' | 'service';
  readonly conductor: string;
  /** The epoch when this try began: a newer registration of the same member since then makes it void. */
  readonly basedOn?: number;
  /** New at every start and after every expiry. */
  readonly session: string;
  readonly group: string;
  readonly drivers: readonly OfferedDriver[];
  readonly weight: number;
  readonly release: string;
  readonly keyMode: 'group' | 'pinned';
}

export interface RegisterReply {
  readonly installation: string;
  readonly epoch: number;
  readonly heartbeatMs: number;
  /** A session ends when nothing was heard for this long. */
  readonly sessionTimeoutMs: number;
}

/** Published on `heartbeatSubject`. */
export interface Heartbeat {
  readonly member: string;
  readonly session: string;
  readonly sequence: number;
  /** Tasks in flight. */
  readonly load: number;
}

/** Published by every replica of cluster-service on `heartbeatReplySubject(member)`. */
export interface HeartbeatReply {
  readonly session: string;
  readonly sequence: number;
  /** `ok` only from the elected replica, the one that ends silent sessions; `unknown` does not count as an answer. */
  readonly status: 'ok' | 'ended' | 'unknown';
  readonly epoch: number;
}

/** `conductor.table` of cluster-service: asked by a conductor on a new epoch. */
export interface TableRequest {
  readonly conductor: string;
  readonly session: string;
}

export interface TableReply {
  readonly epoch: number;
  readonly draining: boolean;
  /** Until when a draining conductor may finish what it has (ISO 8601). */
  readonly drainUntil?: string;
  readonly holdings: readonly Holding[];
}

/** `conductor.leave`: nothing in flight any more. */
export interface LeaveRequest {
  readonly conductor: string;
  readonly session: string;
}
