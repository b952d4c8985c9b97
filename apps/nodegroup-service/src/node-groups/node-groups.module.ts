import { Module } from '@nestjs/common';
import { FleetModule } from '../fleet/fleet.module.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { NodeGroupRequestResolver } from './node-group-request.resolver.js';
import { NodeGroupCommands } from './node-group.commands.js';
import { NodeGroupController } from './node-group.controller.js';
import { NodeGroupCreation } from './node-group.creation.js';
import { NodeGroupReconciler } from './node-group.reconciler.js';
import { nodeGroupResource } from './node-group.resource.js';

@Module({
  imports: [FleetModule],
  controllers: [NodeGroupController, ...nodeGroupResource.controllers],
  providers: [
    ClusterReconciler,
    NodeGroupCommands,
    NodeGroupCreation,
    NodeGroupReconciler,
    NodeGroupRegistry,
    NodeGroupRequestResolver,
    ...nodeGroupResource.providers,
  ],
})
export class NodeGroupsModule {}
