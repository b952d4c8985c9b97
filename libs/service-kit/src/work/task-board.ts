import { decideClaim, omitUndefined, slotOf, type Work } from '@stave/domain';
import {
  isReportOf,
  RefusedError,
  workSubject,
  type ClaimReply,
  type ClaimRequest,
  type HeldClaim,
  type ReportReply,
  type ReportRequest,
  type Task,
  type WorkHint,
} from '@stave/contracts';
import type { TaskKindOf, TaskResource } from '@stave/driver-sdk';
import { ClaimDeliveryTracker } from './claim-delivery-tracker.js';
import type { PickedTasks } from './command-load.js';
import { conductorActor } from '../resources/new-events.js';
import { LostTasks } from './lost-tasks.js';
import { publishCancel } from './publish-cancel.js';
import { ProjectTurns } from './project-turns.js';
import { reportCommand } from './report-command.js';
import { TaskIndex } from './task-index.js';
import { tracedClaim } from './traced-claim.js';
import { isHeldBy, type TaskSource } from './task-source.js';
import { TaskMeasures } from './task-measures.js';
import type { TaskBoardOptions } from './task-board.options.js';

const CLAIM_CONCURRENCY = 64;

/** Hands the open work of one resource type to conductors. A claim is appended before its task is sent, and each report is checked against it. */
export class TaskBoard<S, R extends TaskResource = TaskResource> {
  private readonly index = new TaskIndex();
  private readonly measures: TaskMeasures;
  private readonly deliveries: ClaimDeliveryTracker;
  readonly lost: LostTasks<S, R>;
  private readonly picking = new Set<string>();
  /** Resources that the replay changed; they are updated once, at its end. */
  private readonly replayed = new Set<string>();
  private readonly now: () => number;
  /** The mode of the ring's keys in the index. */
  private lastMode = 'group';

  constructor(
    private readonly source: TaskSource<S, R>,
    private readonly options: TaskBoardOptions,
  ) {
    this.now = options.nowMs ?? Date.now;
    this.deliveries = new ClaimDeliveryTracker(this.now);
    this.measures = new TaskMeasures({ service: options.service, resource: source.type }, this.index, this.now);
    this.lost = new LostTasks(source, options.ring, options.onLost, options.recoveryGraceMs, options.feed.newer);
    options.ring.onChange(() => this.ringChanged());
    options.feed.onReplayed(() => {
      for (const id of options.feed.isResumed ? this.source.model.ids() : this.replayed) this.update(id);
      this.replayed.clear();
    });
  }

  /** To be called when the resource or its routing changed. Without `hint` conductors get no message. */
  update(id: string, hint = true): void {
    if (this.options.feed.replaying) {
      this.replayed.add(id);
      return;
    }
    const [state, work] = this.workOf(id);
    const { claim, wanted } = work;
    this.deliveries.track(id, claim);
    this.lost.track(id, work);
    this.measures.note(id, wanted);
    const routing =
      state !== undefined && wanted && !wanted.retriesExhausted ? this.source.routing(id, state) : undefined;
    if (state === undefined || !routing) return this.index.remove(id);
    const { view } = this.options.ring;
    const key = view.keyFor(routing.group, routing.driver);
    this.index.put(id, key, routing.version, this.source.context(state).project ?? '');
    if (claim && claim.taskId !== wanted?.taskId) publishCancel(this.options.messaging, this.options.ring.view, claim);
    const isHeld = claim !== undefined && view.isLive(claim.session);
    const { messaging, service } = this.options;
    const body: WorkHint = { service };
    if (hint && !isHeld) messaging.publish(workSubject(view.tokenOf(key), slotOf(id)), body);
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    const { ring } = this.options;
    await ring.atLeast(request.epoch);
    const { view } = ring;
    if (!view.isLive(request.session)) {
      await ring.refresh();
      if (!view.isLive(request.session)) return { ended: true, epoch: view.epoch, tasks: [] };
    }
    const pick = (max: number): PickedTasks => this.pick({ ...request, max });
    const { ids, ...left } = this.options.commandLoad?.within(request.max, pick) ?? pick(request.max);
    const held = this.heldBy(request);
    const tasks = await this.claimAll(ids, request).finally(() => ids.forEach(id => this.picked(id)));
    return { ended: false, epoch: view.epoch, tasks, ...omitUndefined({ held, ...left }) };
  }

  /** Returns claims of this session whose task is not sent again: it was superseded, or another conductor owns the slot. */
  private heldBy(request: ClaimRequest): HeldClaim[] | undefined {
    const { session } = request;
    const held: HeldClaim[] = [];
    for (const id of this.deliveries.oldOf(session)) {
      const [state, { claim, wanted }] = this.workOf(id);
      if (state === undefined || claim?.session !== session) continue;
      const superseded = claim.taskId !== wanted?.taskId;
      const routing = superseded ? undefined : this.source.routing(id, state);
      if (isHeldBy(request, id, routing, this.options.ring.view)) continue;
      this.deliveries.put(id, session);
      const resource = { type: this.source.type, id, generation: wanted?.generation ?? 0 };
      held.push({ taskId: claim.taskId, resource, attempt: claim.attempt, superseded });
    }
    return held.length > 0 ? held : undefined;
  }

  async report(request: ReportRequest): Promise<ReportReply> {
    const { source } = this;
    if (!isReportOf(source.type, request)) {
      const detail = `this service accepts reports of ${source.type} tasks only`;
      throw new RefusedError({ code: 'invalid-report', kind: 'invalid', detail });
    }
    const kind = this.workOf(request.resource.id)[1].wanted?.kind;
    try {
      const { state } = await source.model.execute(
        request.resource.id,
        s => source.report(reportCommand(request, source.work(s), this.options), s),
        s => ({ ...source.context(s), actor: conductorActor(request.conductor) }),
      );
      const work = source.work(state);
      this.measures.reported(kind, request.outcome);
      const superseded = work.claim !== undefined && work.wanted?.taskId !== work.claim.taskId;
      return { status: 'accepted', ...(superseded ? { cancel: true } : {}) };
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.options.onStale?.(request);
      this.measures.stale(kind);
      return { status: 'stale' };
    }
  }

  private picked(id: string): void {
    this.picking.delete(id);
    this.lost.track(id, this.workOf(id)[1]);
  }

  private async claimAll(ids: readonly string[], request: ClaimRequest): Promise<Task[]> {
    const tasks: Task[] = [];
    for (let i = 0; i < ids.length; i += CLAIM_CONCURRENCY) {
      const claimed = await Promise.all(ids.slice(i, i + CLAIM_CONCURRENCY).map(id => this.claimOne(id, request)));
      for (const task of claimed) if (task) tasks.push(task);
    }
    return tasks;
  }

  private pick(request: ClaimRequest): PickedTasks {
    const ids: string[] = [];
    const now = this.now();
    const turns = new ProjectTurns(request.room);
    let next: number | undefined;
    for (const id of turns.of(this.index.openFor(request, this.options.ring.view))) {
      if (ids.length >= request.max) return { ids, nextInMs: 0 };
      const due = this.dueInMs(id, request.session, now);
      if (due === 0 && !this.picking.has(id) && this.lost.admits(id, this.workOf(id)[1], request.session)) {
        this.picking.add(id);
        ids.push(id);
        turns.take();
      } else if (due !== undefined && due > 0) next = Math.min(next ?? due, due);
    }
    return { ids, ...omitUndefined({ nextInMs: next }), ...(turns.heldBack ? { heldBack: true } : {}) };
  }

  private workOf(id: string): readonly [state: S | undefined, work: Work<TaskKindOf<R>>] {
    const state = this.source.model.get(id);
    return [state, state === undefined ? {} : this.source.work(state)];
  }

  /** Returns the milliseconds until the task may be handed out; undefined while another live session holds it. */
  private dueInMs(id: string, session: string, now: number): number | undefined {
    const [, { claim, wanted }] = this.workOf(id);
    if (!wanted) return undefined;
    if (claim && this.options.ring.view.isLive(claim.session)) {
      if (claim.session !== session || claim.taskId !== wanted.taskId) return undefined;
      return this.deliveries.dueInMs(id);
    }
    return wanted.notBefore === undefined ? 0 : Math.max(0, Date.parse(wanted.notBefore) - now);
  }

  private claimOne(id: string, request: ClaimRequest): Promise<Task | undefined> {
    return tracedClaim(this.workOf(id)[1].wanted, this.options.traces, () => this.claimTask(id, request));
  }

  private async claimTask(id: string, request: ClaimRequest): Promise<Task | undefined> {
    const { source, options } = this;
    const { conductor, session } = request;
    const isLive = (s: string): boolean => options.ring.view.isLive(s);
    try {
      const { state } = await source.model.execute(
        id,
        s => {
          const command = {
            taskId: source.work(s).wanted?.taskId ?? '',
            conductor,
            session,
            epoch: options.ring.view.epoch,
            now: new Date(this.now()).toISOString(),
            isLive,
          };
          return decideClaim(command, source.work(s));
        },
        s => ({ ...source.context(s), actor: conductorActor(conductor) }),
      );
      return this.taskOf(id, state, session);
    } catch (error) {
      if (error instanceof RefusedError) return undefined;
      throw error;
    }
  }

  private taskOf(id: string, state: S, session: string): Task | undefined {
    const { wanted, claim } = this.source.work(state);
    const routing = this.source.routing(id, state);
    if (!wanted || claim?.session !== session || claim.taskId !== wanted.taskId || !routing) return undefined;
    this.deliveries.put(id, session);
    const task = this.source.task(wanted.kind, state);
    if (!task) return undefined;
    this.measures.claimed(wanted.kind);
    return {
      ...task,
      taskId: wanted.taskId,
      resource: { type: this.source.type, id, generation: wanted.generation },
      attempt: claim.attempt,
      operationId: wanted.operationId,
      clusterId: this.source.clusterId(state),
      projectId: this.source.context(state).project ?? '',
      driver: { name: routing.driver, version: routing.version },
      timeoutMs: this.source.timeoutMs(wanted.kind, state),
    };
  }

  /** Offers the work of ended sessions again; keys can have another form in the new epoch. */
  private ringChanged(): void {
    for (const id of this.deliveries.without(session => this.options.ring.view.isLive(session))) this.update(id);
    if (this.lastMode !== this.options.ring.view.mode) {
      this.lastMode = this.options.ring.view.mode;
      for (const id of this.source.model.ids()) this.update(id, false);
    }
  }
}
