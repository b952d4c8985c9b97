import type { ReportRequest, ServiceReply, ServiceRequest } from '@stave/contracts';
import type { CloudRequest } from '@stave/driver-fake';
import type { RecordedEvent } from '@stave/platform';
import type { Process } from '../kernel/process.js';
import type { Outside } from '../processes/ports.js';

interface Attempt {
  readonly stream: string;
  readonly session: string;
  ended: boolean;
}

interface TaskFact {
  readonly taskId: string;
  readonly attempt: number;
  readonly session?: string;
  readonly operation?: { readonly id: string; readonly kind: string };
  readonly operationId?: string;
}

const ends = new Set(['TaskCompleted', 'TaskFailed', 'TaskReleased']);
const keyOf = ({ taskId, attempt }: Pick<TaskFact, 'taskId' | 'attempt'>): string => `${taskId}/${attempt}`;

/**
 * Checks each change of the cloud, each accepted report and each end of an operation against the log at that moment.
 */
export class LogChecker {
  /** The streams of the resources of open operations, by operation id. */
  readonly openOperations = new Map<string, string>();
  private readonly endedOperations = new Set<string>();
  private readonly liveSessions = new Set<string>();
  private readonly attempts = new Map<string, Attempt>();

  constructor(private readonly outside: Outside) {
    outside.log.onEvent(event => this.recorded(event));
    outside.broker.onAnswer = (subject, request, answer) => this.answered(subject, request, answer);
    outside.cloud.onChange = (process, request) => this.changes(process, request);
  }

  /** Checks that every operation that a service accepted is in the log. */
  checkAccepted(operationIds: readonly string[]): void {
    for (const id of operationIds)
      if (!this.endedOperations.has(id) && !this.openOperations.has(id))
        this.broken('operation-forgotten', `${id} was accepted and is not in the log`);
  }

  private recorded({ stream, type, data }: RecordedEvent): void {
    const fact = data as TaskFact;
    if (type === 'ConductorJoined') this.liveSessions.add(fact.session ?? '');
    else if (type === 'ConductorExpired' || type === 'ConductorLeft') this.liveSessions.delete(fact.session ?? '');
    else if (type === 'TaskClaimed')
      this.attempts.set(keyOf(fact), { stream, session: fact.session ?? '', ended: false });
    else if (ends.has(type)) this.end(fact);
    if (type === 'OperationEnded') this.operationEnded(fact.operationId ?? '');
    else if (fact.operation) this.openOperations.set(fact.operation.id, stream);
  }

  private end(fact: TaskFact): void {
    const attempt = this.attempts.get(keyOf(fact));
    if (attempt) attempt.ended = true;
  }

  private operationEnded(id: string): void {
    if (this.endedOperations.has(id)) this.broken('operation-ended-twice', id);
    this.endedOperations.add(id);
    this.openOperations.delete(id);
  }

  /** Checks that the session of a driver that starts a change is live, and that its claim is current. */
  private changes({ name }: Process, { caller }: CloudRequest): void {
    const sweep = caller.taskId.startsWith('sweep:') ? caller.taskId.slice('sweep:'.length) : undefined;
    const attempt = this.attempts.get(keyOf(caller));
    const session = sweep ?? attempt?.session;
    if (session === undefined || !this.liveSessions.has(session))
      this.broken('change-after-session', `${name} changes the cloud for ended session ${session ?? 'unknown'}`);
    else if (attempt?.ended) this.broken('change-without-claim', `${name} changes ${attempt.stream} after its report`);
  }

  /** Checks that the log has an accepted final report as the end of the reporter's own attempt. */
  private answered(subject: string, request: unknown, answer: unknown): void {
    if (!subject.endsWith('.task.report')) return;
    const reply = answer as ServiceReply<{ readonly status: string }>;
    const { body } = request as ServiceRequest<ReportRequest>;
    if (!reply.ok || reply.data.status !== 'accepted' || body.outcome.type === 'progress') return;
    const attempt = this.attempts.get(keyOf(body));
    if (attempt?.ended !== true || attempt.session !== body.session)
      this.broken('stale-report-counted', `${body.outcome.type} of ${body.session} for ${body.resource.id}`);
  }

  private broken(check: string, detail: string): void {
    this.outside.sim.broken(check, detail);
  }
}
