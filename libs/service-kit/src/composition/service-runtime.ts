import type { RequestMeta, ServiceName } from '@stave/contracts';
import type { EventStore, Logger } from '@stave/platform';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import { Feed } from '../events/feed.js';
import { HistoryTimes } from '../history/history-times.js';
import { OperationTracker, operationsReadModel } from '../operations/operation-tracker.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { UsedPlans } from '../plans/used-plans.js';
import { ReadModels } from '../read-models/read-models.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import { LeaderTasks, type LeaderTask } from '../reconcile/leader-tasks.js';
import type { ReconcileQueue } from '../reconcile/reconcile-queue.js';
import { ReconcileQueues } from '../reconcile/reconcile-queues.js';
import type { Resync } from '../reconcile/resync-round.js';
import { Names } from '../resources/names.js';
import { RequestLedger, type RequestIds } from '../resources/request-ledger.js';
import { RingFollower } from '../ring/ring-follower.js';
import type { Folded } from '../snapshots/snapshot-fields.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import type { ServicePorts } from './ports.js';
import { ServiceLifecycle } from './service-lifecycle.js';

export interface ServiceRuntimeOptions extends ServicePorts {
  readonly service: ServiceName;
  /** First letter of the ids of operations that this service accepts. */
  readonly operationIdPrefix: 'c' | 'n' | 's';
}

/** The parts of a service in one object, for services that are not composed with {@link ServiceKitModule} yet. */
export class ServiceRuntime {
  readonly events: EventStore;
  readonly feed: Feed;
  readonly ring: RingFollower;
  readonly names: Names;
  readonly ledger: RequestLedger;
  readonly operations: OperationTracker;
  readonly plans: DryRunHandler;
  readonly readModels: ReadModels;
  readonly times = new HistoryTimes();
  readonly log: Logger;
  private readonly snapshots: ServiceSnapshots;
  private readonly queues = new ReconcileQueues();
  private readonly leaderTasks: LeaderTasks;
  private readonly lifecycle: ServiceLifecycle;

  constructor(readonly options: ServiceRuntimeOptions) {
    const { log, documentStore } = options;
    const events = UpcastingEventStore.from(options.eventStore);
    this.events = events;
    this.log = log;
    const feed = new Feed({
      store: events,
      onError: err => {
        log.fatal({ err }, 'an event could not be handled; nothing after it is handled');
        options.onFatal?.(err);
      },
    });
    this.feed = feed;
    this.plans = new DryRunHandler(new UsedPlans(events), () => feed.caughtUp());
    this.ring = new RingFollower(events, feed);
    this.names = new Names(events);
    this.ledger = new RequestLedger(events, options);
    this.readModels = new ReadModels({ documentStore, feed, log });
    this.snapshots = new ServiceSnapshots({ ...options, feed });
    this.operations = new OperationTracker(`${options.operationIdPrefix}-`, id =>
      this.readModels.mark('operations', id),
    );
    this.readModels.add(operationsReadModel(this.operations));
    this.folds('operations', this.operations);
    this.folds('times', this.times);
    feed.onEvery(event => this.operations.apply(event));
    feed.onEvery(event => this.times.note(event));
    this.leaderTasks = new LeaderTasks(options);
    this.leaderTasks.addDeferred(this.readModels);
    this.leaderTasks.addDeferred(this.queues);
    const { snapshots, ring, readModels, leaderTasks } = this;
    this.lifecycle = new ServiceLifecycle({ feed, snapshots, ring, readModels, leaderTasks });
  }

  newIds(meta: RequestMeta): RequestIds {
    return this.ledger.newIds(meta);
  }

  folds(name: string, of: Folded): void {
    this.snapshots.add(name, of);
  }

  addReadModel(model: ReadModelDefinition): void {
    this.readModels.add(model);
  }

  mark(model: string, id: string): void {
    this.readModels.mark(model, id);
  }

  addQueue(queue: ReconcileQueue, resync: Resync): void {
    this.queues.add(queue, resync);
  }

  addLeaderTask(task: LeaderTask): void {
    this.leaderTasks.add(task);
  }

  start(): Promise<void> {
    return this.lifecycle.onApplicationBootstrap();
  }

  stop(): Promise<void> {
    return this.lifecycle.onApplicationShutdown();
  }
}
