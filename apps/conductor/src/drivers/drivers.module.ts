import { Module } from '@nestjs/common';
import { DriverPool } from './driver-pool.js';

@Module({ providers: [DriverPool], exports: [DriverPool] })
export class DriversModule {}
