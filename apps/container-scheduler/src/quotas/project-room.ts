import { Injectable } from '@nestjs/common';
import { quotaLeft, type QuotaAmounts } from '@stave/domain';
import { QuotaProjection, ResourceRegistry } from '@stave/service-kit';

/** What projects may have and use, of what the autoscalers change. */
@Injectable()
export class ScheduledQuotas extends QuotaProjection {
  protected override readonly counted: readonly string[] = ['cluster', 'nodeGroup', 'container', 'containerSet'];
}

/** How much more the quotas of projects allow, as far as this process has seen. Whoever takes it reserves it. */
@Injectable()
export class ProjectRoom {
  constructor(
    private readonly quotas: ScheduledQuotas,
    registry: ResourceRegistry,
  ) {
    registry.follow(quotas);
  }

  /** Returns how many more units of these amounts the project may have; Infinity where no limit concerns them. */
  left(projectId: string, unit: QuotaAmounts): number {
    const state = this.quotas.model.get(projectId);
    return state ? quotaLeft(state, this.quotas.usage.of(projectId), unit) : Infinity;
  }
}
