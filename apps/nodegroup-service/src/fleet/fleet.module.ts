import { Module } from '@nestjs/common';
import { PolicyProjection } from '@stave/service-kit';
import { DeclaredGroups } from './declared-groups.js';
import { FleetLookup } from './fleet.lookup.js';
import { GroupPolicyLookup } from './group-policy.lookup.js';
import { NodeClosings } from './node-closings.js';
import { RemovalOrders } from './removal-orders.js';
import { FleetProjection } from './fleet.projection.js';

const shared = [FleetProjection, PolicyProjection, DeclaredGroups, FleetLookup, GroupPolicyLookup, RemovalOrders];

/** Clusters, node groups and nodes as nodegroup-service follows them. */
@Module({
  providers: [...shared, NodeClosings],
  exports: shared,
})
export class FleetModule {}
