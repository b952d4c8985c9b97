import { Module, type DynamicModule } from '@nestjs/common';
import type { EventStore, Logger, Messaging } from '@stave/platform';
import { EVENT_STORE, installationId, LeaderTasks, LOGGER, MESSAGING, RingFollower } from '@stave/service-kit';
import { SourcesModule } from '../sources/sources.module.js';
import { HeartbeatLog } from './heartbeat-log.js';
import { ResourceRouting } from './resource-routing.js';
import { RingController } from './ring.controller.js';
import { RingMeasures } from './ring-measures.js';
import { RingQueries } from './ring-queries.js';
import { RingRegistrar } from './ring-registrar.js';
import { SESSION_SETTINGS, type SessionSettings } from './session-settings.js';
import { SessionKeeper } from './session-keeper.js';
import { StaleReports } from './stale-reports.js';

export interface RingOptions {
  /** Default 2,000. */
  readonly heartbeatMs?: number;
  /** Default 8,000. */
  readonly sessionTimeoutMs?: number;
}

/** The membership of conductors and services; the elected replica ends silent sessions. */
@Module({
  imports: [SourcesModule],
  controllers: [RingController],
  providers: [
    ResourceRouting,
    RingMeasures,
    RingQueries,
    RingRegistrar,
    StaleReports,
    {
      provide: SessionKeeper,
      inject: [MESSAGING, LOGGER, RingFollower, RingRegistrar, SESSION_SETTINGS],
      useFactory: (
        messaging: Messaging,
        log: Logger,
        { view }: RingFollower,
        registrar: RingRegistrar,
        { heartbeatMs, sessionTimeoutMs }: SessionSettings,
      ): SessionKeeper => {
        const expire = (conductor: string, session: string): Promise<void> => registrar.expire(conductor, session);
        return new SessionKeeper({ messaging, view, log, expire, heartbeatMs, sessionTimeoutMs });
      },
    },
    { provide: HeartbeatLog, inject: [SessionKeeper], useFactory: (keeper: SessionKeeper) => keeper.heard },
  ],
})
export class RingModule {
  constructor(leaderTasks: LeaderTasks, ring: RingFollower, keeper: SessionKeeper) {
    leaderTasks.add(keeper);
    ring.onChange(() => keeper.forgetEnded());
  }

  static forRoot({ heartbeatMs = 2_000, sessionTimeoutMs = 8_000 }: RingOptions): DynamicModule {
    const settings = {
      provide: SESSION_SETTINGS,
      inject: [EVENT_STORE],
      useFactory: async (store: EventStore): Promise<SessionSettings> => ({
        installation: await installationId(store),
        heartbeatMs,
        sessionTimeoutMs,
      }),
    };
    return { module: RingModule, providers: [settings] };
  }
}
