import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { ServiceName } from '@stave/contracts';
import type { EventStore, Messaging } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import { HistoryTimes } from '../history/history-times.js';
import { OperationTracker, operationsReadModel } from '../operations/operation-tracker.js';
import { Operations } from '../operations/operations.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { UsedPlans } from '../plans/used-plans.js';
import { ReadModels } from '../read-models/read-models.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { ReconcileQueues } from '../reconcile/reconcile-queues.js';
import { Names } from '../resources/names.js';
import { RequestLedger } from '../resources/request-ledger.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { RingFollower } from '../ring/ring-follower.js';
import { RingRegistration } from '../ring/ring-registration.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { OrphanLog } from '../work/orphan-log.js';
import { MessagingTransport } from './messaging-transport.js';
import { EVENT_STORE, LOGGER, MESSAGING, STORED_EVENTS, type ServicePorts } from './ports.js';
import { fromParts, provide } from './providers.js';
import { ReplyFilter } from './reply.filter.js';
import { ServiceLifecycle } from './service-lifecycle.js';
import { serviceControllers } from './service.controllers.js';

export interface ServiceKitOptions extends ServicePorts {
  readonly service: ServiceName;
  /** First letter of the ids of operations that the service accepts; see `operationPrefixes` in the contracts. */
  readonly operationIdPrefix: 'c' | 'n' | 's';
}

/** What every service is composed with: its event feed, ring view, ledgers, operations, read models and leader tasks, as providers. */
@Module({})
export class ServiceKitModule {
  static forRoot(options: ServiceKitOptions): DynamicModule {
    const providers = [...portProviders(options), ...stateProviders(options), ...workProviders(options)];
    return {
      module: ServiceKitModule,
      global: true,
      controllers: serviceControllers(options.service),
      providers: [...providers, { provide: APP_FILTER, useValue: new ReplyFilter(options.log) }],
      exports: providers,
    };
  }
}

function portProviders({ eventStore, messaging, log }: ServiceKitOptions): Provider[] {
  return [
    { provide: STORED_EVENTS, useValue: eventStore },
    { provide: EVENT_STORE, useValue: UpcastingEventStore.from(eventStore) },
    { provide: MESSAGING, useValue: messaging },
    { provide: LOGGER, useValue: log },
  ];
}

/** What is folded from the log, and what requests are checked and remembered with. */
function stateProviders({
  service,
  operationIdPrefix,
  onFatal,
  documentStore,
  log,
  ...rest
}: ServiceKitOptions): Provider[] {
  return [
    provide(Feed, [EVENT_STORE], (store: EventStore) => {
      const onError = (err: unknown): void => {
        log.fatal({ err }, 'an event could not be handled; nothing after it is handled');
        onFatal?.(err);
      };
      return new Feed({ store, onError });
    }),
    provide(ServiceSnapshots, [Feed], (feed: Feed) => new ServiceSnapshots({ service, feed, log, ...rest })),
    provide(ReadModels, [Feed], (feed: Feed) => new ReadModels({ documentStore, feed, log })),
    provide(RingFollower, [EVENT_STORE, Feed], (store: EventStore, feed: Feed) => new RingFollower(store, feed)),
    provide(Names, [EVENT_STORE], (store: EventStore) => new Names(store)),
    provide(RequestLedger, [EVENT_STORE], (store: EventStore) => new RequestLedger(store, { operationIdPrefix })),
    provide(DryRunHandler, [EVENT_STORE, Feed], (store: EventStore, feed: Feed) => {
      return new DryRunHandler(new UsedPlans(store), () => feed.caughtUp());
    }),
    provide(HistoryTimes, [Feed, ServiceSnapshots], (feed: Feed, snapshots: ServiceSnapshots) => {
      const times = new HistoryTimes();
      snapshots.add('times', times);
      feed.onEvery(event => times.note(event));
      return times;
    }),
    provide(
      OperationTracker,
      [Feed, ServiceSnapshots, ReadModels],
      (feed: Feed, snapshots: ServiceSnapshots, readModels: ReadModels) => {
        const tracker = new OperationTracker(`${operationIdPrefix}-`, id => readModels.mark('operations', id));
        snapshots.add('operations', tracker);
        feed.onEvery(event => tracker.apply(event));
        readModels.add(operationsReadModel(tracker));
        return tracker;
      },
    ),
  ];
}

/** What runs while the service does, and what its controllers call. */
function workProviders({ service, messaging, log, worksFrom, ringUser }: ServiceKitOptions): Provider[] {
  return [
    { provide: ReconcileQueues, useValue: new ReconcileQueues() },
    provide(LeaderTasks, [ReadModels, ReconcileQueues], (readModels: ReadModels, queues: ReconcileQueues) => {
      const tasks = new LeaderTasks({ service, messaging, log, ...(worksFrom && { worksFrom }) });
      tasks.addDeferred(readModels);
      tasks.addDeferred(queues);
      return tasks;
    }),
    fromParts(ResourceRegistry, {
      events: EVENT_STORE,
      messaging: MESSAGING,
      log: LOGGER,
      feed: Feed,
      snapshots: ServiceSnapshots,
      readModels: ReadModels,
      times: HistoryTimes,
      ring: RingFollower,
      plans: DryRunHandler,
      queues: ReconcileQueues,
    }),
    fromParts(Operations, {
      feed: Feed,
      readModels: ReadModels,
      tracker: OperationTracker,
      registry: ResourceRegistry,
    }),
    provide(OrphanLog, [EVENT_STORE], (store: EventStore) => new OrphanLog(store)),
    fromParts(ServiceLifecycle, {
      feed: Feed,
      snapshots: ServiceSnapshots,
      ring: RingFollower,
      readModels: ReadModels,
      leaderTasks: LeaderTasks,
    }),
    {
      provide: RingRegistration,
      useValue: new RingRegistration({ service, messaging, log, ...(ringUser && { user: ringUser }) }),
    },
    provide(MessagingTransport, [MESSAGING, DryRunHandler], (port: Messaging, plans: DryRunHandler) => {
      return new MessagingTransport(port, service, plans);
    }),
  ];
}
