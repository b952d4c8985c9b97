import { Module } from '@nestjs/common';
import { FleetModule } from '../fleet/fleet.module.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeGroupsModule } from '../node-groups/node-groups.module.js';
import { NodeUsageListener, NodeUsages } from './node-usage.js';
import { UsageTotals } from './usage-totals.js';
import { NodeController } from './node.controller.js';
import { MachineClaims } from './machine-claims.js';
import { NodeReconciler } from './node.reconciler.js';
import { nodeResource } from './node.resource.js';

const nodeUsages = {
  provide: NodeUsages,
  inject: [FleetProjection],
  useFactory: ({ nodes }: FleetProjection) => new NodeUsages(id => nodes.get(id)?.deleted === false),
};

const usageTotals = {
  provide: UsageTotals,
  inject: [FleetProjection],
  useFactory: ({ nodes }: FleetProjection) =>
    new UsageTotals(id => {
      const node = nodes.get(id);
      return node && !node.deleted ? node.declared : undefined;
    }),
};

@Module({
  imports: [FleetModule, NodeGroupsModule],
  controllers: [NodeController, ...nodeResource.controllers],
  providers: [MachineClaims, NodeReconciler, nodeUsages, usageTotals, NodeUsageListener, ...nodeResource.providers],
})
export class NodesModule {}
