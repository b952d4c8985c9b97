import { Module } from '@nestjs/common';
import { DriversModule } from '../drivers/drivers.module.js';
import { RingModule } from '../ring/ring.module.js';
import { CallHandler } from './call-handler.js';
import { LogStreams } from './log-streams.js';

@Module({ imports: [DriversModule, RingModule], providers: [CallHandler, LogStreams], exports: [CallHandler] })
export class CallsModule {}
