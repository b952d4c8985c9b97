import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { EventStore, Messaging } from '@stave/platform';
import { AuthGuard } from './auth/auth.guard.js';
import { Authenticator } from './auth/authenticator.js';
import { EventHub } from './events/event-hub.js';
import { EventPages } from './events/event-pages.js';
import { EventPositions } from './events/event-positions.js';
import { EventReferences } from './events/event-references.js';
import { EventStreams } from './events/event-streams.js';
import { ResourceHistory } from './events/resource-history.js';
import type { GatewayLog } from './gateway-log.js';
import { EVENT_STORE, LOG, MESSAGING, SETTINGS, type GatewaySettings } from './gateway.tokens.js';
import { CallGuard } from './http/call.guard.js';
import { controllers } from './http/controllers.js';
import { ConductorGauges } from './observability/conductor-gauges.js';
import { Metrics } from './observability/metrics.js';
import { OpenApiText } from './openapi/openapi-text.js';
import { OperationEvents } from './operations/operation-events.js';
import { OperationList } from './operations/operation-list.js';
import { OperationQueries } from './operations/operation-queries.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { ListReferences } from './services/list-references.js';
import { LogFollower } from './services/log-follower.js';
import { ResourceGateway } from './services/resource-gateway.js';
import { ServiceClient } from './services/service-client.js';
import { RouteValidator } from './validation/route-validator.js';

export interface GatewayParts {
  readonly messaging: Messaging;
  readonly eventStore: EventStore;
  readonly log: GatewayLog;
  readonly settings: GatewaySettings;
}

const events = [EventHub, EventPages, EventPositions, EventReferences, EventStreams, ResourceHistory];
const operations = [OperationEvents, OperationList, OperationQueries];
const services = [
  ServiceClient,
  ListReferences,
  LogFollower,
  ResourceGateway,
  Authenticator,
  RouteValidator,
  ConductorGauges,
  Metrics,
  OpenApiText,
];

@Module({})
export class GatewayModule {
  static with({ messaging, eventStore, log, settings }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [...controllers],
      providers: [
        { provide: MESSAGING, useValue: messaging },
        { provide: EVENT_STORE, useValue: eventStore },
        { provide: LOG, useValue: log },
        { provide: SETTINGS, useValue: settings },
        ...events,
        ...operations,
        ...services,
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: CallGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}
