import { randomUUID } from 'node:crypto';
import type { RequestMeta, ServiceName } from '@stave/contracts';
import type { DocumentStore, EventStore, Election, Messaging, Logger } from '@stave/platform';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import type { ReconcileQueue } from '../reconcile/reconcile-queue.js';
import { Feed } from '../events/feed.js';
import {
  capture as captureFields,
  fits,
  requireWhole,
  restore,
  type Folded,
  type SavedFields,
} from '../snapshots/snapshot-fields.js';
import type { SnapshotFile } from '../snapshots/snapshot-file.js';
import { HistoryTimes } from '../history/history-times.js';
import { listIndexes } from '../read-models/listed-document.js';
import { Names } from '../resources/names.js';
import { OperationTracker, operationDocument } from '../operations/operation-tracker.js';
import { valuesOf } from '../plans/append-admission.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { UsedPlans } from '../plans/used-plans.js';
import { Projector } from '../read-models/projector.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import { RequestLedger, type RequestIds } from '../resources/request-ledger.js';
import { ResyncRound, type Resync } from '../reconcile/resync-round.js';
import { RingFollower } from '../ring/ring-follower.js';
import type { RingUser } from '../ring/ring-registration.js';

/** Between two looks whether the read models are still there. */
const VERIFY_MS = 5_000;

export interface ServicePorts {
  readonly eventStore: EventStore;
  readonly documentStore: DocumentStore;
  readonly messaging: Messaging;
  readonly log: Logger;
  /** What the service shows or does would be wrong from now on: the process should end, and start anew. Default: it is only logged. */
  readonly onFatal?: (error: unknown) => void;
  /** As what this process registers in the ring; absent: not at all, for one service on its own. */
  readonly ringUser?: RingUser;
  /** Where what services have folded is put away for the next start; absent: each start folds the whole history. */
  readonly snapshotFile?: SnapshotFile;
  /** Then the elected replica begins to write read models and to reconcile; absent: at once. A process gets ready first, and lists wait. */
  readonly worksFrom?: Promise<void>;
}

export interface ServiceRuntimeOptions extends ServicePorts {
  readonly service: ServiceName;
  /** First letter of the ids of operations that this service accepts. */
  readonly operationIdPrefix: 'c' | 'n' | 's';
  readonly streamPrefixes: readonly string[];
}

/** What every service is made of: one feed, models, read models, the ring, operations; a part of it runs on the elected replica only. */
export class ServiceRuntime {
  /** The log for those who fold it: in the words of today. */
  readonly events: EventStore;
  readonly feed: Feed;
  readonly ring: RingFollower;
  readonly names: Names;
  readonly ledger: RequestLedger;
  readonly operations: OperationTracker;
  readonly plans: DryRunHandler;
  readonly times = new HistoryTimes();
  readonly log: Logger;
  private readonly roots = new Map<string, Folded>();
  private readonly readModels: ReadModelDefinition[] = [];
  private readonly queues: { readonly queue: ReconcileQueue; readonly round: ResyncRound }[] = [];
  private readonly leaderTasks: { start(): void; stop(): Promise<void> }[] = [];
  private projectorInstance: Projector | undefined;
  private election: Election | undefined;
  /** Counts the changes of leadership. */
  private turn = 0;
  private resyncTimer: NodeJS.Timeout | undefined;
  private startedAt = -1;
  private verifyTimer: NodeJS.Timeout | undefined;
  private leadership: Promise<void> = Promise.resolve();

  constructor(readonly options: ServiceRuntimeOptions) {
    const { log, streamPrefixes } = options;
    const eventStore = UpcastingEventStore.from(options.eventStore);
    this.events = eventStore;
    this.log = log;
    this.feed = new Feed({
      store: eventStore,
      streamPrefixes,
      onError: err => {
        log.fatal({ err }, 'an event could not be handled; nothing after it is seen');
        options.onFatal?.(err);
      },
    });
    this.plans = new DryRunHandler(new UsedPlans(eventStore), () => this.feed.caughtUp());
    this.ring = new RingFollower(eventStore, this.feed);
    this.names = new Names(eventStore);
    this.ledger = new RequestLedger(eventStore);
    this.operations = new OperationTracker(`${options.operationIdPrefix}-`, id =>
      this.projectorInstance?.mark('operations', id),
    );
    this.addReadModel({
      name: 'operations',
      indexes: listIndexes({ sorts: [], filters: ['status', 'target.id', 'clusterId'] }),
      all: () => this.operations.positions(),
      document: id => {
        const record = this.operations.get(id);
        return record
          ? { ...operationDocument(record), _id: id, position: record.position, deleted: false }
          : undefined;
      },
    });
    this.folds('operations', this.operations);
    this.folds('times', this.times);
    this.feed.onEvery(event => this.operations.apply(event));
    this.feed.onEvery(event => this.times.note(event));
  }

  get projector(): Projector {
    if (!this.projectorInstance) throw new Error('the service is not started');
    return this.projectorInstance;
  }

  newIds(meta: RequestMeta): RequestIds {
    const values = valuesOf(meta);
    const operationId = `${this.options.operationIdPrefix}-${values.uuid('operation')}`;
    return { resourceId: values.uuid('resource'), operationId, requestId: values.uuid('request') };
  }

  /** Something that follows the feed, and what it has made of it. Throws RangeError where a part of that is not declared. */
  folds(name: string, of: Folded): void {
    requireWhole(of, name);
    this.roots.set(`${this.options.service}/${name}`, of);
  }

  addReadModel(model: ReadModelDefinition): void {
    this.readModels.push(model);
  }

  readModel(name: string): ReadModelDefinition {
    const model = this.readModels.find(m => m.name === name);
    if (!model) throw new RangeError(`no read model ${name}`);
    return model;
  }

  mark(model: string, id: string): void {
    this.projectorInstance?.mark(model, id);
  }

  /** Runs on the elected replica; `resync` marks what is not settled, as a safety net: of many ids some at a time. */
  addQueue(queue: ReconcileQueue, resync: Resync): void {
    this.queues.push({ queue, round: new ResyncRound(resync) });
  }

  addLeaderTask(task: { start(): void; stop(): Promise<void> }): void {
    this.leaderTasks.push(task);
  }

  /**
   * True when the read models show everything followed up to `position` within the time, and in any case what was in the log
   * at the start: a store in process is empty then.
   */
  async shows(position: number, timeoutMs: number): Promise<boolean> {
    const { feed, projector } = this;
    const wanted = Math.max(position, this.startedAt);
    if (projector.position >= wanted) return true;
    const handled = await feed.waitFor(wanted, timeoutMs);
    // who writes them may have passed over less of the streams that nobody follows
    return handled && projector.waitFor(Math.min(wanted, feed.lastEvent), timeoutMs);
  }

  /** Ready for requests when it resolves: everything in the log was seen. */
  async start(): Promise<void> {
    const { documentStore, messaging, service, log } = this.options;
    this.projectorInstance = new Projector(documentStore, this.readModels, {
      onError: err => log.error({ err }, 'projection failed, will repeat'),
    });
    await this.projectorInstance.open();
    await this.resume();
    this.feed.onBatch(position => this.projectorInstance?.advance(position));
    await this.feed.start();
    this.startedAt = this.feed.lastEvent;
    this.projectorInstance.advance(this.feed.position);
    this.election = messaging.elect(service, randomUUID(), leading => {
      this.leadership = this.leadership
        .then(() => (leading ? this.lead() : this.follow()))
        .catch((err: unknown) => log.error({ err }, 'change of leadership failed'));
    });
  }

  async stop(): Promise<void> {
    if (this.resyncTimer) clearInterval(this.resyncTimer);
    await this.election?.close();
    await this.leadership;
    await this.follow();
    await this.feed.close();
    await this.projectorInstance?.close();
  }

  /** Goes on where an earlier life of this process was, when all that it had folded is there. */
  private async resume(): Promise<void> {
    const { snapshotFile, service, log } = this.options;
    const capture = (): SavedFields => new Map([...this.roots].flatMap(([path, of]) => [...captureFields(of, path)]));
    const saved = snapshotFile?.take(service, {
      position: () => this.feed.position,
      capture: () => ({ position: this.feed.position, lastEvent: this.feed.lastEvent, fields: capture() }),
    });
    if (!saved || saved.position < 0) return;
    if ([...this.roots].some(([path, of]) => !fits(of, path, saved.fields)))
      return log.warn('the folded states are of other parts; everything is folded anew');
    for (const [path, of] of this.roots) restore(of, path, saved.fields);
    this.feed.resume(saved);
    await this.ring.refresh();
  }

  private lead(): void {
    for (const task of this.leaderTasks) task.start();
    const turn = ++this.turn;
    const { worksFrom } = this.options;
    if (!worksFrom) return this.work();
    void worksFrom.then(() => {
      if (turn === this.turn) this.work();
    });
  }

  private work(): void {
    this.projector.lead();
    for (const { queue, round } of this.queues) {
      round.whole();
      queue.start();
    }
    this.resyncTimer = setInterval(() => this.queues.forEach(q => q.round.goOn()), 15_000);
    this.resyncTimer.unref();
    const verified = (err: unknown): void => this.log.warn({ err }, 'could not look after the read models');
    this.verifyTimer = setInterval(() => void this.projector.verify().catch(verified), VERIFY_MS);
    this.verifyTimer.unref();
  }

  private async follow(): Promise<void> {
    this.turn += 1;
    if (this.resyncTimer) clearInterval(this.resyncTimer);
    if (this.verifyTimer) clearInterval(this.verifyTimer);
    this.projectorInstance?.follow();
    await Promise.all([...this.queues.map(q => q.queue.stop()), ...this.leaderTasks.map(t => t.stop())]);
  }
}
