import { Module } from '@nestjs/common';
import { ResourceRegistry } from '@stave/service-kit';
import { SnapshotsModule } from '../placement/snapshots.module.js';
import { ProjectRoom } from '../quotas/project-room.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { SetAutoscalingModule } from '../set-autoscaling/set-autoscaling.module.js';
import { ExpectedCapacities } from './expected-capacities.js';
import { GroupAutoscalingController } from './group-autoscaling.controller.js';
import { GroupGrowth } from './group-growth.js';
import { GroupShrink } from './group-shrink.js';
import { NodeGroupAutoscaler } from './node-group-autoscaler.js';
import { ScaledGroups } from './scaled-groups.js';
import { ShrinkSnapshots } from './shrink-snapshots.js';
import { WaitingRequests } from './waiting-requests.js';

const CONCURRENCY = 4;

/** Proposes nodes for containers that wait, and the removal of nodes that nothing needs. */
@Module({
  imports: [SchedulingModule, SnapshotsModule, SetAutoscalingModule, QuotasModule],
  controllers: [GroupAutoscalingController],
  providers: [
    ExpectedCapacities,
    GroupGrowth,
    GroupShrink,
    NodeGroupAutoscaler,
    ScaledGroups,
    ShrinkSnapshots,
    WaitingRequests,
  ],
  exports: [GroupShrink],
})
export class AutoscalingModule {
  constructor(
    projection: SchedulerProjection,
    registry: ResourceRegistry,
    autoscaler: NodeGroupAutoscaler,
    growth: GroupGrowth,
    room: ProjectRoom,
  ) {
    const mark = registry.reconcile('cluster', projection.clusters, {
      reconcile: id => autoscaler.evaluate(id),
      concurrency: CONCURRENCY,
      isUnsettled: id => autoscaler.isFollowed(id),
    });
    room.onMore(projectId => {
      for (const clusterId of growth.limitedIn(projectId)) mark(clusterId);
    });
  }
}
