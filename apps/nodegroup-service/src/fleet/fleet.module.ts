import { Module } from '@nestjs/common';
import { PolicyProjection } from '@stave/service-kit';
import { DeclaredGroups } from './declared-groups.js';
import { FleetLookup } from './fleet.lookup.js';
import { GroupPolicyLookup } from './group-policy.lookup.js';
import { RemovalOrders } from './removal-orders.js';
import { FleetProjection } from './fleet.projection.js';

/** Clusters, node groups and nodes as nodegroup-service follows them. */
@Module({
  providers: [FleetProjection, PolicyProjection, DeclaredGroups, FleetLookup, GroupPolicyLookup, RemovalOrders],
  exports: [FleetProjection, PolicyProjection, DeclaredGroups, FleetLookup, GroupPolicyLookup, RemovalOrders],
})
export class FleetModule {}
