import { Injectable } from '@nestjs/common';
import { Feed, QuotaProjection } from '@stave/service-kit';
import { QuotaShares } from './quota-shares.js';

/** Keeps the shares of quotas that are used as limits and resources change. */
@Injectable()
export class QuotaMeasures {
  private readonly shares = new QuotaShares();

  constructor(
    private readonly projection: QuotaProjection,
    feed: Feed,
  ) {
    const changed = (projectId: string): void => {
      if (!feed.replaying) this.update(projectId);
    };
    projection.usage.onChange(changed);
    projection.onRoom(changed);
    projection.model.watch({
      entered: () => undefined,
      left: projectId => this.shares.put(projectId, {}, {}),
    });
    feed.onReplayed(() => {
      for (const projectId of projection.model.ids()) this.update(projectId);
    });
  }

  private update(projectId: string): void {
    const { model, usage } = this.projection;
    const limits = model.get(projectId)?.limits;
    if (limits) this.shares.put(projectId, limits, usage.of(projectId).counted);
  }
}
