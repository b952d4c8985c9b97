import { Module } from '@nestjs/common';
import { PolicyProjection } from '@stave/service-kit';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { AttachmentController } from './attachment.controller.js';
import { PolicyController } from './policy.controller.js';
import { PolicyLookup } from './policy.lookup.js';
import { PolicyReconciler } from './policy.reconciler.js';
import { policyResource } from './policy.resource.js';

/** Policies, and what they are attached to. */
@Module({
  imports: [SchedulingModule],
  controllers: [PolicyController, AttachmentController, ...policyResource.controllers],
  providers: [PolicyProjection, PolicyLookup, PolicyReconciler, ...policyResource.providers],
  exports: [PolicyProjection, PolicyLookup],
})
export class PoliciesModule {}
