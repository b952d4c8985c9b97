import { Injectable } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import type { ClusterTemplateState } from '@stave/domain';
import { idSequence, RingFollower, valuesOf, type RequestIds } from '@stave/service-kit';
import { clusterRequest } from '../clusters/cluster-request.js';
import { SourceFinder } from '../sources/source-finder.js';
import {
  planClusterTemplate,
  wantedDriver,
  type ClusterTemplateInput,
  type PlannedClusterTemplate,
} from './plan-template.js';
import { clusterTemplateProblems, driverWarnings, offeredManifest } from './template-driver.js';

/** Resolves the attributes of a new cluster template from the request and its sources. */
@Injectable()
export class ClusterTemplateResolver {
  constructor(
    private readonly ring: RingFollower,
    private readonly sources: SourceFinder,
  ) {}

  /** Throws RefusedError with every problem of the request. */
  resolve(meta: RequestMeta, body: ClusterTemplateInput, ids: RequestIds): Promise<PlannedClusterTemplate> {
    const group = idSequence(valuesOf(meta), 'group');
    return this.sources.all(meta.actor, body, found => {
      const request = clusterRequest(body, found);
      const manifest = offeredManifest(this.ring.view, wantedDriver(request));
      const problems = manifest ? clusterTemplateProblems(manifest, request) : [];
      return planClusterTemplate(body, request, { template: ids.resourceId, group }, problems);
    });
  }

  /** The drivers and conductor groups of the template that no live conductor offers now. */
  warnings({ attributes, created }: ClusterTemplateState): ReturnType<typeof driverWarnings> {
    const { view } = this.ring;
    const ofGroups = (created?.groups ?? []).flatMap(({ name, attributes: { conductorGroup } }) =>
      typeof conductorGroup === 'string'
        ? driverWarnings(view, { ...attributes, conductorGroup }, `node group template ${name}: `)
        : [],
    );
    return [...driverWarnings(view, attributes), ...ofGroups];
  }
}
