import { Module } from '@nestjs/common';
import { DeclaredGroups } from './declared-groups.js';
import { FleetLookup } from './fleet.lookup.js';
import { FleetProjection } from './fleet.projection.js';

/** Clusters, node groups and nodes as nodegroup-service follows them. */
@Module({
  providers: [FleetProjection, DeclaredGroups, FleetLookup],
  exports: [FleetProjection, DeclaredGroups, FleetLookup],
})
export class FleetModule {}
