import { Module } from '@nestjs/common';
import { DriversModule } from '../drivers/drivers.module.js';
import { RingModule } from '../ring/ring.module.js';
import { WorkModule } from '../work/work.module.js';
import { HeartbeatSender } from './heartbeat.js';
import { Registrar } from './registrar.js';

/** Registers the conductor and keeps its session alive. */
@Module({
  imports: [DriversModule, RingModule, WorkModule],
  providers: [HeartbeatSender, Registrar],
  exports: [HeartbeatSender, Registrar],
})
export class SessionModule {}
