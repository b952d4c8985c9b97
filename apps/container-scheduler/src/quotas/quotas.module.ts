import { Module } from '@nestjs/common';
import { ProjectRoom, ScheduledQuotas } from './project-room.js';

/** What is left of the quotas of projects, for those who decide about more by themselves. */
@Module({ providers: [ScheduledQuotas, ProjectRoom], exports: [ProjectRoom] })
export class QuotasModule {}
