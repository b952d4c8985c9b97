import { Module } from '@nestjs/common';
import { PoliciesModule } from '../policies/policies.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { BacktestController } from './backtest.controller.js';
import { DemandHistory } from './demand-history.js';
import { ScalingPolicyHistory } from './scaling-policy-history.js';
import { SetAutoscaler } from './set-autoscaler.js';
import { SetBacktests } from './set-backtests.js';
import { SetAutoscalingController } from './set-autoscaling.controller.js';

/** How container sets follow their load. */
@Module({
  imports: [SchedulingModule, PoliciesModule, QuotasModule],
  controllers: [SetAutoscalingController, BacktestController],
  providers: [SetAutoscaler, DemandHistory, ScalingPolicyHistory, SetBacktests],
  exports: [SetAutoscaler],
})
export class SetAutoscalingModule {}
