import { Module } from '@nestjs/common';
import { DriversModule } from '../drivers/drivers.module.js';
import { RingModule } from '../ring/ring.module.js';
import { SweepModule } from '../sweep/sweep.module.js';
import { WorkModule } from '../work/work.module.js';
import { HealthWatch } from './health-watch.js';
import { InfrastructureWatch } from './infrastructure-watch.js';

@Module({
  imports: [DriversModule, RingModule, SweepModule, WorkModule],
  providers: [HealthWatch, InfrastructureWatch],
  exports: [InfrastructureWatch],
})
export class HealthModule {}
