import { Module } from '@nestjs/common';
import { FleetLookup } from './fleet.lookup.js';
import { FleetProjection } from './fleet.projection.js';

/** Clusters, node groups and nodes as nodegroup-service follows them. */
@Module({ providers: [FleetProjection, FleetLookup], exports: [FleetProjection, FleetLookup] })
export class FleetModule {}
