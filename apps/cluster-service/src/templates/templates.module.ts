import { Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { ClusterTemplateController } from './cluster-template.controller.js';
import { clusterTemplateResource } from './cluster-template.resource.js';
import { NodeGroupTemplateController } from './node-group-template.controller.js';
import { nodeGroupTemplateResource } from './node-group-template.resource.js';
import { TemplateNames } from './template-names.js';
import { TemplateReconciler } from './template.reconciler.js';

@Module({
  imports: [SourcesModule],
  controllers: [
    ClusterTemplateController,
    NodeGroupTemplateController,
    ...clusterTemplateResource.controllers,
    ...nodeGroupTemplateResource.controllers,
  ],
  providers: [
    TemplateNames,
    TemplateReconciler,
    ...clusterTemplateResource.providers,
    ...nodeGroupTemplateResource.providers,
  ],
})
export class TemplatesModule {}
