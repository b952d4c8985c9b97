import { Module } from '@nestjs/common';
import { NamedFlavors } from '@stave/service-kit';
import { FleetModule } from '../fleet/fleet.module.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { NodeGroupActionsController } from './node-group-actions.controller.js';
import { NodeGroupController } from './node-group.controller.js';
import { NodeGroupPlans } from './node-group-plan.js';
import { NodeGroupReconciler } from './node-group.reconciler.js';
import { nodeGroupResource } from './node-group.resource.js';
import { NodeReleaseHooks } from './node-release-hooks.js';
import { NodeGroupRequestResolver } from './resolve-node-group-request.js';

@Module({
  imports: [FleetModule],
  controllers: [NodeGroupController, NodeGroupActionsController, ...nodeGroupResource.controllers],
  providers: [
    ClusterReconciler,
    NamedFlavors,
    NodeGroupPlans,
    NodeGroupReconciler,
    NodeGroupRegistry,
    NodeReleaseHooks,
    NodeGroupRequestResolver,
    ...nodeGroupResource.providers,
  ],
  exports: [nodeGroupResource.commands],
})
export class NodeGroupsModule {}
