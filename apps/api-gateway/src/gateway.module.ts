import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { EventStore, Logger, Messaging } from '@stave/platform';
import { AuditController } from './audit/audit.controller.js';
import { AuditLog } from './audit/audit-log.js';
import { NamedProjects } from './audit/named-projects.js';
import { Admission } from './auth/admission.js';
import { Authenticator } from './auth/authenticator.js';
import { KeyEnds } from './auth/key-ends.js';
import { KeyLifetimes } from './auth/key-lifetimes.js';
import { KeyRevocations } from './auth/key-revocations.js';
import { KeyUses } from './auth/key-uses.js';
import { ProjectChoice } from './auth/project-choice.js';
import { TargetProjects } from './auth/target-projects.js';
import { WhoamiController } from './auth/whoami.controller.js';
import { ContainerLogsController } from './containers/container-logs.controller.js';
import { FollowedTexts } from './containers/followed-texts.js';
import { DriverOperationsController } from './driver-operations/driver-operations.controller.js';
import { EventsController } from './events/events.controller.js';
import { EventHub } from './events/event-hub.js';
import { EventPages } from './events/event-pages.js';
import { EventPositions } from './events/event-positions.js';
import { EventStreams } from './events/event-streams.js';
import { ResourceHistory } from './events/resource-history.js';
import { TimeIndex } from './events/time-index.js';
import { TimeMarks } from './events/time-marks.js';
import { EVENT_STORE, LOG, MESSAGING, SETTINGS, type GatewaySettings } from './gateway.tokens.js';
import { CallGuard } from './http/call.guard.js';
import { RouteDispatcher } from './http/route-dispatcher.controller.js';
import { Memberships } from './identity/memberships.js';
import { GivenTokens } from './identity/given-tokens.js';
import { KeystoneAuthenticator } from './identity/keystone-authenticator.js';
import { ProjectDirectory } from './identity/project-directory.js';
import { TokenAuthenticator } from './identity/token-authenticator.js';
import { AnswerLimits } from './limits/answer-limits.js';
import { RequestLimits } from './limits/request-limits.js';
import { Metrics } from './observability/metrics.js';
import { ProbesController } from './observability/probes.controller.js';
import { DocumentsController } from './openapi/documents.controller.js';
import { DriverDocumentsController } from './openapi/driver-documents.controller.js';
import { OperationListController } from './operations/operation-list.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { ReadModelsController } from './read-models/read-models.controller.js';
import { ListReferences } from './services/list-references.js';
import { ServiceClient } from './services/service-client.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { WebIssuers } from './sign-in/web-issuers.js';
import { WebSessions } from './sign-in/web-sessions.js';
import { SummaryController } from './summary/summary.controller.js';
import { RouteValidator } from './validation/route-validator.js';

const controllers = [
  AuditController,
  RouteDispatcher,
  ContainerLogsController,
  DriverOperationsController,
  EventsController,
  OperationsController,
  OperationListController,
  ReadModelsController,
  DocumentsController,
  DriverDocumentsController,
  ProbesController,
  SignInController,
  SummaryController,
  WhoamiController,
];
const events = [EventHub, EventPages, EventPositions, EventStreams, ResourceHistory, TimeIndex, TimeMarks];
const services = [
  AuditLog,
  NamedProjects,
  ServiceClient,
  ListReferences,
  Authenticator,
  Admission,
  TokenAuthenticator,
  KeystoneAuthenticator,
  WebIssuers,
  WebSessions,
  GivenTokens,
  ProjectChoice,
  TargetProjects,
  ProjectDirectory,
  Memberships,
  KeyEnds,
  KeyLifetimes,
  KeyRevocations,
  KeyUses,
  RequestLimits,
  AnswerLimits,
  FollowedTexts,
  RouteValidator,
  Metrics,
];

@Module({})
export class GatewayModule {
  static with(messaging: Messaging, eventStore: EventStore, log: Logger, settings: GatewaySettings): DynamicModule {
    return {
      module: GatewayModule,
      controllers,
      providers: [
        { provide: MESSAGING, useValue: messaging },
        { provide: EVENT_STORE, useValue: eventStore },
        { provide: LOG, useValue: log },
        { provide: SETTINGS, useValue: settings },
        ...events,
        ...services,
        { provide: APP_GUARD, useClass: CallGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
