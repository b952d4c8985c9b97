import { Module } from '@nestjs/common';
import { DriversModule } from '../drivers/drivers.module.js';
import { RingModule } from '../ring/ring.module.js';
import { HealthWatch } from './health-watch.js';

/** Compares the infrastructure with the expected units and reports deviations. */
@Module({ imports: [DriversModule, RingModule], providers: [HealthWatch], exports: [HealthWatch] })
export class HealthModule {}
