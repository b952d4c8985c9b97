import { Module } from '@nestjs/common';
import { DriversModule } from '../drivers/drivers.module.js';
import { RingModule } from '../ring/ring.module.js';
import { ClaimLoop } from './claim-loop.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { Reporter } from './reporter.js';
import { TaskRunner } from './task-runner.js';

@Module({
  imports: [DriversModule, RingModule],
  providers: [ClaimLoop, ConcurrencyLimiter, Reporter, TaskRunner],
  exports: [ClaimLoop, TaskRunner],
})
export class WorkModule {}
