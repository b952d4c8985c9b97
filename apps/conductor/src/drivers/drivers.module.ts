import { Module } from '@nestjs/common';
import { DriverPool } from './driver-pool.js';

/** Opens and closes the drivers of the conductor. */
@Module({ providers: [DriverPool], exports: [DriverPool] })
export class DriversModule {}
