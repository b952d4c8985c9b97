import { Injectable } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import { idSequence, RingFollower, valuesOf, type RequestIds } from '@stave/service-kit';
import { SourceFinder } from '../sources/source-finder.js';
import { clusterRequest, type ClusterInput } from './cluster-request.js';
import { planCluster, type PlannedCluster } from './plan-cluster.js';

/** Resolves a request for a cluster, with its sources and its driver, to the cluster that it creates. */
@Injectable()
export class ClusterResolver {
  constructor(
    private readonly ring: RingFollower,
    private readonly sources: SourceFinder,
  ) {}

  /** Throws RefusedError with every broken rule. */
  async plan(meta: RequestMeta, body: ClusterInput, { resourceId }: RequestIds): Promise<PlannedCluster> {
    const ids = { cluster: resourceId, group: idSequence(valuesOf(meta), 'group') };
    return this.sources.all(meta.actor, body, found =>
      planCluster(this.ring.view, body.name, clusterRequest(body, found), ids),
    );
  }
}
