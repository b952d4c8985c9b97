import {
  cancelSubject,
  epochSubject,
  groupHeartbeatSubject,
  heartbeatReplySubject,
  memberSubject,
  workSubject,
  type ClaimReply,
  type ClaimRequest,
  type ExpectedRequest,
  type ExpectedReply,
  type ExpectedUnit,
  type HeldClaim,
  type Heartbeat,
  type HeartbeatReply,
  type OrphanVerdictReply,
  type OrphanVerdictRequest,
  type ObservedRequest,
  type OrphanRemoved,
  type RecoveredRequest,
  type RegisterRequest,
  type ReportReply,
  type ReportRequest,
  type ServiceError,
  type ServiceName,
  type ServiceReply,
  type ServiceRequest,
  type Task,
} from '@stave/contracts';
import { groupToken, mayRunMore, omitUndefined, type Holding } from '@stave/domain';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { serviceOf } from '../service-client.js';

const INSTALLATION = 'inst-1';
const services: readonly ServiceName[] = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

/** The three services as a conductor sees them, with faults on request. */
export class ScriptedServices {
  readonly registrations: RegisterRequest[] = [];
  readonly heartbeats: Heartbeat[] = [];
  readonly claims: (ClaimRequest & { readonly service: ServiceName })[] = [];
  readonly reports: ReportRequest[] = [];
  readonly left: string[] = [];
  readonly orphansRemoved: OrphanRemoved[] = [];
  readonly recovered: RecoveredRequest['attempts'][number][] = [];
  readonly open: Task[] = [];
  /** Verdict by resource id; `live` when absent, no answer at all for `silent`. */
  readonly verdicts = new Map<string, OrphanVerdictReply['verdicts'][number] | 'silent'>();
  /** The resources of which units were classified, once for each time. */
  readonly classified: string[] = [];
  /** How often the services want samples. */
  samplingMs: number | undefined;
  /** The expected units by service. */
  readonly expected = new Map<ServiceName, readonly ExpectedUnit[]>();
  readonly observed: ObservedRequest['observations'][number][] = [];
  epoch = 1;
  holdings: readonly Holding[] = [];
  draining = false;
  /** The claims that the next answer to a claim asks about. */
  readonly held: HeldClaim[] = [];
  heartbeatMs = 20;
  sessionTimeoutMs = 60_000;
  /** `silent`: heartbeats are not answered. */
  heartbeatStatus: HeartbeatReply['status'] | 'silent' = 'ok';
  /** The number of replies to lose by verb; the requests are processed. */
  readonly lose = new Map<string, number>();
  /** The error of the next answer by verb. */
  readonly refuse = new Map<string, ServiceError>();
  onReport: (report: ReportRequest) => ReportReply = () => ({ status: 'accepted' });
  private readonly subscriptions: MessageSubscription[] = [];

  constructor(private readonly messaging: Messaging) {}

  start(): void {
    this.serve('cluster-service', 'conductor.register', (body: RegisterRequest) => this.register(body));
    this.serve('cluster-service', 'conductor.epoch', () => ({ epoch: this.epoch, installation: INSTALLATION }));
    this.serve('cluster-service', 'conductor.table', () => this.table());
    this.serve('cluster-service', 'conductor.leave', ({ session }: { readonly session: string }) => {
      this.left.push(session);
      return {};
    });
    for (const service of services) {
      this.serve(service, 'task.claim', (body: ClaimRequest) => this.claim(service, body));
      this.serve(service, 'task.report', (body: ReportRequest) => this.report(body));
      this.serve(service, 'task.recovered', (body: RecoveredRequest) => this.recovered.push(...body.attempts));
      this.serve(service, 'health.expected', (body: ExpectedRequest) => this.page(service, body));
      this.serve(service, 'health.observed', (body: ObservedRequest) => this.observed.push(...body.observations));
      this.serve(service, 'orphan.classify', (body: OrphanVerdictRequest) => this.classify(body));
      this.serve(service, 'orphan.removed', (body: OrphanRemoved) => this.orphansRemoved.push(body));
    }
    const beat = (payload: unknown, subject: string): void =>
      this.beat(payload as Heartbeat, subject.slice(subject.lastIndexOf('.') + 1));
    this.subscriptions.push(this.messaging.subscribe(groupHeartbeatSubject('*'), beat));
  }

  async stop(): Promise<void> {
    await Promise.all(this.subscriptions.splice(0).map(subscription => subscription.close()));
  }

  /** Starts a new epoch of the ring, in which the conductor has these holdings. */
  assign(holdings: readonly Holding[]): void {
    this.holdings = holdings;
    this.messaging.publish(epochSubject, { epoch: ++this.epoch });
  }

  /** Without a service, as earlier releases send it. */
  hint({ token, slots }: Holding, service?: ServiceName): void {
    this.messaging.publish(workSubject(token, slots[0] ?? 0), { service });
  }

  /** The conductors of the bench are in the default group. */
  cancel(conductor: string, taskId: string): void {
    this.messaging.publish(cancelSubject(conductor, groupToken('')), { taskId });
  }

  /** Returns the final reports of one task. */
  endsOf(taskId: string): ReportRequest[] {
    return this.reports.filter(report => report.taskId === taskId && report.outcome.type !== 'progress');
  }

  private register(request: RegisterRequest) {
    this.registrations.push(request);
    const { heartbeatMs, sessionTimeoutMs, epoch } = this;
    return { installation: INSTALLATION, epoch, heartbeatMs, sessionTimeoutMs };
  }

  private table() {
    return { epoch: this.epoch, draining: this.draining, holdings: this.holdings };
  }

  private beat(heartbeat: Heartbeat, token: string): void {
    this.heartbeats.push(heartbeat);
    if (this.heartbeatStatus === 'silent') return;
    const { session, sequence, member } = heartbeat;
    const reply: HeartbeatReply = { session, sequence, status: this.heartbeatStatus, epoch: this.epoch };
    this.messaging.publish(heartbeatReplySubject(member, token), reply);
  }

  private claim(service: ServiceName, request: ClaimRequest): ClaimReply {
    this.claims.push({ ...request, service });
    const matching = this.open.filter(task => serviceOf[task.resource.type] === service && this.covers(request, task));
    const admitted = matching.filter(roomOf(request));
    const tasks = admitted.slice(0, request.max);
    for (const task of tasks) this.open.splice(this.open.indexOf(task), 1);
    const held = this.held.splice(0);
    const heldBack = admitted.length < matching.length;
    return { ended: false, epoch: this.epoch, tasks, heldBack, ...(held.length === 0 ? {} : { held }) };
  }

  private covers(request: ClaimRequest, task: Task): boolean {
    return request.holdings.some(
      ({ key, version }) => key.endsWith(`:${task.driver.name}`) && version === task.driver.version,
    );
  }

  private report(request: ReportRequest): ReportReply {
    this.reports.push(request);
    return this.onReport(request);
  }

  /** A service that remembers no changes: every request is answered with all units. */
  private page(service: ServiceName, { after = '', max }: ExpectedRequest): ExpectedReply {
    const left = (this.expected.get(service) ?? []).filter(unit => unit.resourceId > after);
    const units = left.slice(0, max);
    const next = units.at(-1)?.resourceId;
    const { samplingMs } = this;
    return {
      units,
      position: 0,
      ...omitUndefined({ samplingMs }),
      ...(left.length > max && next !== undefined ? { next } : {}),
    };
  }

  private classify({ units }: OrphanVerdictRequest): OrphanVerdictReply {
    this.classified.push(...units.map(({ resourceId }) => resourceId));
    const verdicts = units.map(({ resourceId }) => this.verdicts.get(resourceId) ?? 'live');
    return {
      verdicts: verdicts.map(verdict => {
        if (verdict === 'silent') throw new Error('no answer');
        return verdict;
      }),
    };
  }

  private serve<B>(service: ServiceName, verb: string, handle: (body: B) => unknown): void {
    const [resource = '', name = ''] = verb.split('.');
    const answer = async (payload: unknown): Promise<ServiceReply> => {
      const error = this.refuse.get(verb);
      this.refuse.delete(verb);
      if (error) return { ok: false, error };
      const data = handle((payload as ServiceRequest<B>).body);
      const lost = this.lose.get(verb) ?? 0;
      this.lose.set(verb, Math.max(0, lost - 1));
      if (lost > 0) throw new Error('the reply got lost');
      return { ok: true, data };
    };
    this.subscriptions.push(this.messaging.serve(memberSubject('*', service, resource, name), service, answer));
  }
}

/** Returns which tasks the room of a request admits, asked in order. */
function roomOf({ room }: ClaimRequest): (task: Task) => boolean {
  const running = new Map(Object.entries(room?.running ?? {}));
  return ({ projectId }) => {
    const own = running.get(projectId) ?? 0;
    if (room && !mayRunMore(own, room)) return false;
    running.set(projectId, own + 1);
    return true;
  };
}
