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
  /** By project: when it was last seen to have more room; milliseconds. */
  private readonly grewAt = new Map<string, number>();

  constructor(
    private readonly quotas: ScheduledQuotas,
    registry: ResourceRegistry,
  ) {
    registry.follow(quotas);
    quotas.model.watch({
      entered: () => undefined,
      left: projectId => this.grewAt.delete(projectId),
    });
    this.onMore(projectId => {
      if (quotas.model.get(projectId)) this.grewAt.set(projectId, Date.now());
    });
  }

  /** Calls the listener with a project that may have more than before. */
  onMore(listener: (projectId: string) => void): void {
    this.quotas.onRoom(listener);
  }

  /** Whether the project may have more than at that instant. */
  hasGrownSince(projectId: string, instant: string): boolean {
    return (this.grewAt.get(projectId) ?? 0) > Date.parse(instant);
  }

  /** Returns how many more units of these amounts the project may have; Infinity where no limit concerns them. */
  left(projectId: string, unit: QuotaAmounts): number {
    const state = this.quotas.model.get(projectId);
    return state ? quotaLeft(state, this.quotas.usage.of(projectId), unit) : Infinity;
  }
}
