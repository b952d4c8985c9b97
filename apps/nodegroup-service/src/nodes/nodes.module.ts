import { Module } from '@nestjs/common';
import { FleetModule } from '../fleet/fleet.module.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeUsageListener } from './node-usage-listener.js';
import { NodeUsages } from './node-usage.js';
import { NodeCommands } from './node.commands.js';
import { NodeController } from './node.controller.js';
import { NodeReconciler } from './node.reconciler.js';
import { nodeResource } from './node.resource.js';
import { NodeWorkload } from './node.workload.js';

const nodeUsages = {
  provide: NodeUsages,
  inject: [FleetProjection],
  useFactory: ({ nodes }: FleetProjection) => new NodeUsages(id => nodes.get(id)?.deleted === false),
};

@Module({
  imports: [FleetModule],
  controllers: [NodeController, ...nodeResource.controllers],
  providers: [NodeCommands, NodeReconciler, nodeUsages, NodeUsageListener, NodeWorkload, ...nodeResource.providers],
})
export class NodesModule {}
