import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { AutoscalingModule } from '../autoscaling/autoscaling.module.js';
import { SnapshotsModule } from '../placement/snapshots.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { SetAutoscalingModule } from '../set-autoscaling/set-autoscaling.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';
import { ScalingExplanations } from './scaling-explanations.js';

/** Explanations of what waits, and of what is not scaled. */
@Module({
  imports: [
    SchedulingModule,
    AttachmentsModule,
    SnapshotsModule,
    QuotasModule,
    AutoscalingModule,
    SetAutoscalingModule,
  ],
  controllers: [ExplainController],
  providers: [Explanations, ScalingExplanations],
  exports: [Explanations],
})
export class ExplainModule {}
