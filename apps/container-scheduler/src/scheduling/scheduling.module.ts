import { Module } from '@nestjs/common';
import { SchedulerLookup } from './scheduler.lookup.js';
import { SchedulerProjection } from './scheduler.projection.js';

/** Containers, profiles, reservations and nodes as container-scheduler follows them. */
@Module({ providers: [SchedulerProjection, SchedulerLookup], exports: [SchedulerProjection, SchedulerLookup] })
export class SchedulingModule {}
