import { Module } from '@nestjs/common';
import { NamedFlavors } from '@stave/service-kit';
import { SourcesModule } from '../sources/sources.module.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterCredentialsController } from './cluster-credentials.controller.js';
import { ClusterPlans } from './cluster-plans.js';
import { ClusterController } from './cluster.controller.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { clusterResource } from './cluster.resource.js';
import { DriverOperationController } from './driver-operation.controller.js';

@Module({
  imports: [SourcesModule],
  controllers: [
    ClusterController,
    ClusterCredentialsController,
    DriverOperationController,
    ...clusterResource.controllers,
  ],
  providers: [ClusterContainers, ClusterPlans, ClusterReconciler, NamedFlavors, ...clusterResource.providers],
})
export class ClustersModule {}
