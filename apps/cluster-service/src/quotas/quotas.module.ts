import { Module } from '@nestjs/common';
import { QuotaProjection } from '@stave/service-kit';
import { QuotaDemandController } from './quota-demand.controller.js';
import { QuotaLedger } from './quota-ledger.js';
import { QuotaMeasures } from './quota-measures.js';
import { QuotaReconciler } from './quota.reconciler.js';

/** What services ask before they decide about what takes more. The routes of quotas belong to projects. */
@Module({
  controllers: [QuotaDemandController],
  providers: [QuotaProjection, QuotaLedger, QuotaMeasures, QuotaReconciler],
  exports: [QuotaProjection, QuotaLedger],
})
export class QuotasModule {}
