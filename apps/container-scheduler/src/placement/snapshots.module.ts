import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { PolicyProjectionModule } from '../policies/policy-projection.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ClusterSnapshots } from './cluster-snapshots.js';
import { PlacementRequests } from './placement-requests.js';

const parts = [ClusterSnapshots, PlacementRequests];

/** What placement knows of clusters, for those who place containers and those who explain why one waits. */
@Module({ imports: [SchedulingModule, AttachmentsModule, PolicyProjectionModule], providers: parts, exports: parts })
export class SnapshotsModule {}
