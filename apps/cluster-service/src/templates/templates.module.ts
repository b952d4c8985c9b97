import { Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { ClusterTemplateCommands } from './cluster-template.commands.js';
import { ClusterTemplateController } from './cluster-template.controller.js';
import { ClusterTemplateCreation } from './cluster-template.creation.js';
import { ClusterTemplateResolver } from './cluster-template.resolver.js';
import { clusterTemplateResource } from './cluster-template.resource.js';
import { GroupTemplateCommands } from './group-template.commands.js';
import { GroupTemplateCreation } from './group-template.creation.js';
import { GroupTemplateResolver } from './group-template.resolver.js';
import { GroupsInside } from './groups-inside.js';
import { NodeGroupTemplateController } from './node-group-template.controller.js';
import { nodeGroupTemplateResource } from './node-group-template.resource.js';
import { TemplateMoves } from './template-moves.js';
import { TemplateNames } from './template-names.js';
import { TemplateParents } from './template-parents.js';
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
    ClusterTemplateCommands,
    ClusterTemplateCreation,
    ClusterTemplateResolver,
    GroupTemplateCommands,
    GroupTemplateCreation,
    GroupTemplateResolver,
    GroupsInside,
    TemplateMoves,
    TemplateNames,
    TemplateParents,
    TemplateReconciler,
    ...clusterTemplateResource.providers,
    ...nodeGroupTemplateResource.providers,
  ],
})
export class TemplatesModule {}
