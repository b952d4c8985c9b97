import { Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterController } from './cluster.controller.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { clusterResource } from './cluster.resource.js';

@Module({
  imports: [SourcesModule],
  controllers: [ClusterController, ...clusterResource.controllers],
  providers: [ClusterContainers, ClusterReconciler, ...clusterResource.providers],
})
export class ClustersModule {}
