import { Module } from '@nestjs/common';
import { SnapshotsModule } from '../placement/snapshots.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { AttachmentController } from './attachment.controller.js';
import { PolicyController } from './policy.controller.js';
import { BindingsPlans } from './bindings-plans.js';
import { PolicyOutlook } from './policy-outlook.js';
import { PolicyProjectionModule } from './policy-projection.module.js';
import { PolicyLookup } from './policy.lookup.js';
import { PolicyReconciler } from './policy.reconciler.js';
import { policyResource } from './policy.resource.js';

/** Policies, and what they are attached to. */
@Module({
  imports: [SchedulingModule, SnapshotsModule, PolicyProjectionModule],
  controllers: [PolicyController, AttachmentController, ...policyResource.controllers],
  providers: [PolicyLookup, BindingsPlans, PolicyOutlook, PolicyReconciler, ...policyResource.providers],
  exports: [PolicyProjectionModule, PolicyLookup],
})
export class PoliciesModule {}
