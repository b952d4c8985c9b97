import { Module } from '@nestjs/common';
import { ProjectQuotas } from './project-quotas.js';
import { QuotaProjection } from './quota.projection.js';
import { QuotaReconciler } from './quota.reconciler.js';

/** What creations ask before they are decided. The routes of quotas belong to projects. */
@Module({
  providers: [QuotaProjection, ProjectQuotas, QuotaReconciler],
  exports: [QuotaProjection, ProjectQuotas],
})
export class QuotasModule {}
