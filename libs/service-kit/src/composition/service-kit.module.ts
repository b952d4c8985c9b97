import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Feed } from '../events/feed.js';
import { NewerEvents } from '../events/newer-events.js';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import { Operations } from '../operations/operations.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { UsedPlans } from '../plans/used-plans.js';
import { ProjectQuotas, QuotaLimits } from '../quotas/project-quotas.js';
import { ReadModels } from '../read-models/read-models.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { ClosedProjects } from '../resources/closed-projects.js';
import { ProjectIdentities } from '../resources/project-identities.js';
import { Names } from '../resources/names.js';
import { RequestLedger } from '../resources/request-ledger.js';
import { EndedStreams } from '../resources/ended-streams.js';
import { ResourceRules } from '../resources/resource-rules.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { GroupProof } from '../ring/group-proof.js';
import { MemberProof } from '../ring/member-proof.js';
import { RingFollower } from '../ring/ring-follower.js';
import { RingRegistration } from '../ring/ring-registration.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { SummaryController } from '../summary/summary.controller.js';
import { ConductorWork } from '../work/conductor-work.js';
import { OrphanLog } from '../work/orphan-log.js';
import { MessagingTransport } from './messaging-transport.js';
import { EVENT_STORE, LOGGER, MESSAGING, SERVICE_OPTIONS, STORED_EVENTS, type ServiceOptions } from './ports.js';
import { ReplyFilter } from './reply.filter.js';
import { ServiceLifecycle } from './service-lifecycle.js';
import { ReadModelController, WorkController } from './service.controllers.js';

/** The providers of every service: its event feed, ring view, ledgers, operations, read models and leader tasks. */
@Module({})
export class ServiceKitModule {
  static forRoot(options: ServiceOptions): DynamicModule {
    const providers: Provider[] = [
      ...valueProviders(options),
      ServiceSnapshots,
      ReadModels,
      RingFollower,
      GroupProof,
      MemberProof,
      LeaderTasks,
      ConductorWork,
      EndedStreams,
      ClosedProjects,
      ProjectIdentities,
      ResourceRegistry,
      QuotaLimits,
      ProjectQuotas,
      ResourceRules,
      OrphanLog,
      ServiceLifecycle,
      RingRegistration,
      MessagingTransport,
    ];
    return {
      module: ServiceKitModule,
      global: true,
      controllers: [Operations, ReadModelController, SummaryController, WorkController],
      providers,
      exports: providers.filter(provider => !('provide' in provider) || provider.provide !== APP_FILTER),
    };
  }
}

function valueProviders(options: ServiceOptions): Provider[] {
  const { eventStore, messaging, log, onFatal, operationIdPrefix, service } = options;
  const store = UpcastingEventStore.from(eventStore);
  const onError = (err: unknown): void => {
    log.fatal({ err }, 'an event could not be handled; nothing after it is handled');
    onFatal?.(err);
  };
  const newer = options.newerEvents ?? new NewerEvents({ service, log });
  const feed = new Feed({ store: eventStore, onError, newer, service });
  return [
    { provide: SERVICE_OPTIONS, useValue: options },
    { provide: STORED_EVENTS, useValue: eventStore },
    { provide: EVENT_STORE, useValue: store },
    { provide: MESSAGING, useValue: messaging },
    { provide: LOGGER, useValue: log },
    { provide: Feed, useValue: feed },
    { provide: NewerEvents, useValue: newer },
    { provide: APP_FILTER, useValue: new ReplyFilter(log, newer) },
    { provide: Names, useValue: new Names(store) },
    { provide: RequestLedger, useValue: new RequestLedger(store, operationIdPrefix) },
    { provide: DryRunHandler, useValue: new DryRunHandler(new UsedPlans(store), () => feed.caughtUp()) },
  ];
}
