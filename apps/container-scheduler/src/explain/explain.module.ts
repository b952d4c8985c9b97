import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { SnapshotsModule } from '../placement/snapshots.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';

/** Explanations of what waits. */
@Module({
  imports: [SchedulingModule, AttachmentsModule, SnapshotsModule],
  controllers: [ExplainController],
  providers: [Explanations],
  exports: [Explanations],
})
export class ExplainModule {}
