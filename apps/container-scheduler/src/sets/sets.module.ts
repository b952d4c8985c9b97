import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ExplainModule } from '../explain/explain.module.js';
import { SnapshotsModule } from '../placement/snapshots.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ContainerSetRequests } from './container-set-request.js';
import { ContainerSetController } from './container-set.controller.js';
import { ContainerSetReconciler } from './container-set.reconciler.js';
import { containerSetResource } from './container-set.resource.js';
import { ReleaseHooks } from './release-hooks.js';
import { SetBalance } from './set-balance.js';

@Module({
  imports: [SchedulingModule, AttachmentsModule, PoliciesModule, SnapshotsModule, ExplainModule],
  controllers: [ContainerSetController, ...containerSetResource.controllers],
  providers: [
    ContainerSetReconciler,
    ReleaseHooks,
    ContainerSetRequests,
    SetBalance,
    ...containerSetResource.providers,
  ],
  exports: [containerSetResource.commands],
})
export class SetsModule {}
