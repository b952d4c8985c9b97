import { Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterCredentials } from './cluster-credentials.js';
import { ClusterCommands } from './cluster.commands.js';
import { ClusterController } from './cluster.controller.js';
import { ClusterCreation } from './cluster.creation.js';
import { ClusterReads } from './cluster.reads.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { ClusterResolver } from './cluster.resolver.js';
import { clusterResource } from './cluster.resource.js';

@Module({
  imports: [SourcesModule],
  controllers: [ClusterController, ...clusterResource.controllers],
  providers: [
    ClusterCommands,
    ClusterContainers,
    ClusterCreation,
    ClusterCredentials,
    ClusterReads,
    ClusterReconciler,
    ClusterResolver,
    ...clusterResource.providers,
  ],
})
export class ClustersModule {}
