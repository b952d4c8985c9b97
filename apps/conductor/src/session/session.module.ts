import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { DriversModule } from '../drivers/drivers.module.js';
import { HealthModule } from '../health/health.module.js';
import { RingModule } from '../ring/ring.module.js';
import { WorkModule } from '../work/work.module.js';
import { HeartbeatSender } from './heartbeat.js';
import { Registrar } from './registrar.js';
import { SessionActivities } from './session-activities.js';

@Module({
  imports: [CallsModule, DriversModule, HealthModule, RingModule, WorkModule],
  providers: [HeartbeatSender, Registrar, SessionActivities],
  exports: [Registrar, SessionActivities],
})
export class SessionModule {}
