import { Injectable } from '@nestjs/common';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ExpectedCapacities } from './expected-capacities.js';
import { GroupGrowth } from './group-growth.js';
import { GroupShrink } from './group-shrink.js';

/** Times further away than this are found by the resync of the queue. */
const NEAR_MS = 60_000;

/** Follows what waits in clusters, and what is idle, with the node groups that allow it. */
@Injectable()
export class NodeGroupAutoscaler {
  /** By cluster: when it is evaluated although no event arrives. */
  private readonly due = new Map<string, number>();

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly growth: GroupGrowth,
    private readonly shrink: GroupShrink,
    private readonly capacities: ExpectedCapacities,
  ) {}

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async evaluate(clusterId: string): Promise<number | undefined> {
    const now = Date.now();
    if ((this.due.get(clusterId) ?? Infinity) <= now) this.due.delete(clusterId);
    if (!this.isFollowed(clusterId)) {
      this.growth.forget(clusterId);
      this.shrink.forget(clusterId);
      this.capacities.forget(clusterId);
      return undefined;
    }
    const again = [await this.growth.evaluate(clusterId, now), await this.shrink.evaluate(clusterId, Date.now())];
    return this.next(clusterId, Math.min(...again.map(ms => ms ?? Infinity)));
  }

  /** Whether the cluster has node groups that the autoscaler changes. */
  isFollowed(clusterId: string): boolean {
    const { clusters, groups, groupsByCluster, placement } = this.projection;
    const cluster = clusters.get(clusterId);
    if (!cluster || cluster.deleting || cluster.deleted) return false;
    const { unneeded } = placement.seen(clusterId);
    return unneeded.size > 0 || groupsByCluster.in(clusterId).some(id => groups.get(id)?.spec.autoscaling?.enabled);
  }

  /** Each cluster has one timer: an earlier one stays, and a later one follows from its evaluation. */
  private next(clusterId: string, againMs: number): number | undefined {
    if (againMs > NEAR_MS) return undefined;
    const at = Date.now() + Math.max(1, Math.ceil(againMs));
    if ((this.due.get(clusterId) ?? Infinity) <= at) return undefined;
    this.due.set(clusterId, at);
    return at - Date.now();
  }
}
