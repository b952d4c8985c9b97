export type TaskResourceType = 'cluster' | 'node' | 'container';

export type TaskKind =
  | 'cluster.create'
  | 'cluster.update'
  | 'cluster.delete'
  | 'node.create'
  | 'node.update'
  | 'node.rebuild'
  | 'node.softReboot'
  | 'node.hardReboot'
  | 'node.drain'
  | 'node.undrain'
  | 'node.delete'
  | 'container.create'
  | 'container.update'
  | 'container.start'
  | 'container.stop'
  | 'container.restart'
  | 'container.delete';

/** A piece of work as handed to a conductor. The claim that it goes with is already an event in the resource's stream. */
export interface Task {
  readonly taskId: string;
  readonly kind: TaskKind;
  readonly resource: { readonly type: TaskResourceType; readonly id: string; readonly generation: number };
  readonly attempt: number;
  readonly operationId: string;
  readonly clusterId: string;
  readonly driver: { readonly name: string; readonly version: string };
  /** ClusterSpec, NodeSpec, ContainerSpec, ResourceRef or ContainerRef of the driver SDK, as the kind says. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
}

/** `task.claim` of each service: up to `max` tasks of these slots. */
export interface ClaimRequest {
  readonly conductor: string;
  readonly session: string;
  readonly epoch: number;
  readonly holdings: readonly { readonly key: string; readonly version: string; readonly slots: readonly number[] }[];
  readonly max: number;
}

/** A claim that the session has by the log, though the service has heard nothing of it for a while. */
export interface HeldClaim {
  readonly taskId: string;
  readonly resource: Task['resource'];
  readonly attempt: number;
  /** Something else is wanted of the resource now: stop it. */
  readonly superseded: boolean;
}

/** `ended`: the session is over, register anew. `epoch`: that of the service; newer than the asked one means: fetch the table. */
export interface ClaimReply {
  readonly ended: boolean;
  readonly epoch: number;
  readonly tasks: readonly Task[];
  /** What the conductor does not know of these (the answer that handed them out was lost), it reports as released. */
  readonly held?: readonly HeldClaim[];
  /** Milliseconds after which something that backs off now becomes due; absent when nothing does. */
  readonly nextInMs?: number;
}

export type FailureClass = 'transient' | 'capacity' | 'permanent' | 'notFound' | 'conflict' | 'unsupported';

export type ReportOutcome =
  | { readonly type: 'progress'; readonly step: string }
  | { readonly type: 'done'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly type: 'failed'; readonly failure: FailureClass; readonly message: string }
  | { readonly type: 'released'; readonly reason: string };

/** `task.report` of each service; repeated until answered. */
export interface ReportRequest {
  readonly taskId: string;
  readonly resource: Task['resource'];
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
  readonly outcome: ReportOutcome;
}

/** `stale`: this claim is not the current one, drop the task. `cancel`: stop it and report `released`. */
export interface ReportReply {
  readonly status: 'accepted' | 'stale';
  readonly cancel?: boolean;
}

/** `orphan.judge` of each service: what the streams say of units seen on the infrastructure. */
export interface OrphanVerdictRequest {
  readonly units: readonly {
    readonly resourceId: string;
    readonly kind: TaskResourceType;
    readonly generation: number;
  }[];
}

/** `gone`: the stream says deleted or at a higher generation that is built; `never`: no such stream; in the order of the request. */
export interface OrphanVerdictReply {
  readonly verdicts: readonly ('live' | 'gone' | 'never')[];
}

/** `orphan.removed`: each removal is an event. */
export interface OrphanRemoved {
  readonly conductor: string;
  readonly driver: string;
  readonly resourceId: string;
  readonly kind: TaskResourceType;
  readonly generation: number;
  readonly infrastructureId: string;
  readonly verdict: 'gone' | 'never';
}

/** Sent on `callSubject`. */
export interface CallRequest {
  readonly call: 'container.logs' | 'container.followLogs' | 'container.stats' | 'cluster.credentials';
  readonly driver: { readonly name: string; readonly version: string };
  readonly ref: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Answer to `container.followLogs`: the log's pieces are to be had on this subject, one after the other. */
export interface LogStreamOpened {
  readonly subject: string;
}

/** Asks for piece `seq`, from 0 on; the same again when no answer came. `stop`: nobody reads on. */
export interface LogStreamNext {
  readonly seq: number;
  readonly stop?: boolean;
}

/** Empty where nothing was written for a while. Nothing comes after `done`; `failure`: the log could not be read on. */
export interface LogPiece {
  readonly text: string;
  readonly done: boolean;
  readonly failure?: string;
}
