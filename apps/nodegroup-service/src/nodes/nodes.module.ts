import { Module } from '@nestjs/common';
import { ResourceRegistry } from '@stave/service-kit';
import { FleetModule } from '../fleet/fleet.module.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupsModule } from '../node-groups/node-groups.module.js';
import { NodeUsageListener, NodeUsages } from './node-usage.js';
import { UsageTotals, type NodePlace } from './usage-totals.js';
import { NodeController } from './node.controller.js';
import { MachineClaims } from './machine-claims.js';
import { NodeReconciler } from './node.reconciler.js';
import { nodeResource } from './node.resource.js';

/** Returns where a node belongs; undefined when it does not exist. */
const placeIn =
  ({ nodes }: FleetProjection) =>
  (id: string): NodePlace | undefined => {
    const node = nodes.get(id);
    return node && !node.deleted ? node.declared : undefined;
  };

const nodeUsages = {
  provide: NodeUsages,
  inject: [FleetProjection, ResourceRegistry],
  useFactory: (projection: FleetProjection, registry: ResourceRegistry) => {
    const placeOf = placeIn(projection);
    const usages = new NodeUsages(placeOf);
    registry.on('node', id => !placeOf(id) && usages.forget(id));
    return usages;
  },
};

const usageTotals = {
  provide: UsageTotals,
  inject: [FleetProjection],
  useFactory: (projection: FleetProjection) => new UsageTotals(placeIn(projection)),
};

@Module({
  imports: [FleetModule, NodeGroupsModule],
  controllers: [NodeController, ...nodeResource.controllers],
  providers: [MachineClaims, NodeReconciler, nodeUsages, usageTotals, NodeUsageListener, ...nodeResource.providers],
})
export class NodesModule {}
