import type { ProjectRoom, TaskOutcome } from '@stave/domain';
import type { DriverCall, DriverTask, TaskKind, TaskKindOf, TaskResource, UnitKind } from '@stave/driver-sdk';
import type { ConductorSession } from './conductor.js';

/** One attempt of a task of a resource. */
interface TaskAttempt {
  readonly taskId: string;
  readonly resource: { readonly type: TaskResource; readonly id: string; readonly generation: number };
  readonly attempt: number;
}

/** The parts of a task that do not depend on its kind. */
export interface TaskEnvelope extends TaskAttempt {
  readonly operationId: string;
  readonly clusterId: string;
  readonly projectId: string;
  readonly driver: { readonly name: string; readonly version: string };
  /** The span of the claim (W3C Trace Context), and that of the command which the task follows from; absent where nothing is traced. */
  readonly traceparent?: string;
  readonly causeTraceparent?: string;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
}

/**
 * A task as handed to a conductor, discriminated by `kind`: `spec` is what the driver method of the kind receives. The claim that it
 * belongs to is already an event in the resource's stream.
 */
export type Task<K extends TaskKind = TaskKind> = TaskEnvelope & DriverTask<K>;

/** The body of `task.claim` of each service, which requests up to `max` tasks of these slots. */
export interface ClaimRequest extends ConductorSession {
  readonly epoch: number;
  readonly holdings: readonly { readonly key: string; readonly version: string; readonly slots: readonly number[] }[];
  readonly max: number;
  /** The room for the driver of the holdings, where `free` is what no task runs in; absent from conductors of releases without shares of projects. */
  readonly room?: ProjectRoom & {
    /** Tasks of the driver that run, by project. */
    readonly running: Readonly<Record<string, number>>;
  };
}

/** A claim that the session holds according to the log, about which the service has not heard for a while. */
export interface HeldClaim extends TaskAttempt {
  /** The claim is superseded: stop the task. */
  readonly superseded: boolean;
}

/**
 * `ended` means that the session is over and the conductor registers again. `epoch` is that of the service; when it is newer than that of
 * the request, the conductor fetches the table.
 */
export interface ClaimReply {
  readonly ended: boolean;
  readonly epoch: number;
  readonly tasks: readonly Task[];
  /** Claims of the session. The conductor reports those it does not know as released, because the answer that handed them out was lost. */
  readonly held?: readonly HeldClaim[];
  /** True when tasks were not handed out because their projects have no room at the conductor. */
  readonly heldBack?: boolean;
  /** Milliseconds until the next task in back-off is due; absent when there is none. */
  readonly nextInMs?: number;
}

/** The body of `task.report` of each service, repeated until answered. */
export interface ReportRequest<K extends TaskKind = TaskKind> extends TaskAttempt, ConductorSession {
  readonly outcome: TaskOutcome<K>;
}

/**
 * The body of `task.recovered` of each service: log lines of attempts that a process of this conductor had not ended when it died itself.
 * The answer is `{}`. Lines of an attempt that does not matter any more are ignored.
 */
export interface RecoveredRequest {
  readonly attempts: readonly (TaskAttempt & { readonly conductor: string; readonly lines: readonly string[] })[];
}

/** Returns whether a report from the wire is of the tasks of one type of resource: its result is then one of that type. */
export function isReportOf<R extends TaskResource>(
  type: R,
  request: ReportRequest,
): request is ReportRequest & ReportRequest<TaskKindOf<R>> {
  const { resource, outcome } = request;
  return resource.type === type && (outcome.type !== 'done' || outcome.kind.startsWith(`${type}.`));
}

/** `stale` means that this claim is not the current one: drop the task. `cancel` means: stop it and report `released`. */
export interface ReportReply {
  readonly status: 'accepted' | 'stale';
  readonly cancel?: boolean;
}

/** `orphan.classify` of each service: what the streams say of units seen on the infrastructure. */
export interface OrphanVerdictRequest {
  readonly units: readonly Pick<OrphanRemoved, 'resourceId' | 'kind' | 'generation' | 'clusterId' | 'nodeId'>[];
}

/** `gone`: the stream says deleted or at a higher generation that is built; `never`: no such stream; in the order of the request. */
export interface OrphanVerdictReply {
  readonly verdicts: readonly ('live' | 'gone' | 'never')[];
}

/** The body of `orphan.removed`; each removal is an event. */
export interface OrphanRemoved {
  readonly conductor: string;
  readonly driver: string;
  readonly resourceId: string;
  readonly kind: UnitKind;
  readonly generation: number;
  readonly infrastructureId: string;
  /** For a network or volume: its cluster, and its node where it is of node scope. */
  readonly clusterId?: string;
  readonly nodeId?: string;
  readonly verdict: 'gone' | 'never';
}

/** The calls that conductors answer. */
export type ServedCallKind =
  | 'cluster.credentials'
  | 'cluster.flavor'
  | 'nodeGroup.removalOrder'
  | 'node.expectedCapacity'
  | 'container.logs'
  | 'container.followLogs'
  | 'container.stats';

/** A request on `callSubject`, discriminated by `kind`: `spec` is what the driver receives. It changes nothing on the infrastructure. */
export type CallRequest<K extends ServedCallKind = ServedCallKind> = {
  readonly driver: { readonly name: string; readonly version: string };
} & DriverCall<K>;

/** The answer to `container.followLogs`: the subject on which the pieces of the log are requested one after the other. */
export interface LogStreamOpened {
  readonly subject: string;
}

/** Requests piece `seq`, counted from 0; repeated when no answer arrives. `stop` ends the reading. */
export interface LogStreamNext {
  readonly seq: number;
  readonly stop?: boolean;
}

/**
 * A piece of a log, empty when nothing was written for a while. No piece follows `done`; `failure` says why the log cannot be read further.
 */
export interface LogPiece {
  readonly text: string;
  readonly done: boolean;
  readonly failure?: string;
}
