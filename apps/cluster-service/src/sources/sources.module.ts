import { Module } from '@nestjs/common';
import { ClusterLookup } from '../clusters/cluster.lookup.js';
import { ClusterProjection } from '../clusters/cluster.projection.js';
import { TemplateLookup } from '../templates/template.lookup.js';
import { TemplateProjection } from '../templates/template.projection.js';
import { SourceFinder } from './source-finder.js';

/** The sources of clusters and templates: clusters, node groups and templates. */
@Module({
  providers: [ClusterProjection, ClusterLookup, TemplateProjection, TemplateLookup, SourceFinder],
  exports: [ClusterProjection, ClusterLookup, TemplateProjection, TemplateLookup, SourceFinder],
})
export class SourcesModule {}
