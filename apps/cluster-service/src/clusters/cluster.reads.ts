import { Injectable } from '@nestjs/common';
import type { RequestMeta, ResourceDocument } from '@stave/contracts';
import type { ClusterSpecification, ClusterState } from '@stave/domain';
import { DocumentDecorator, RingFollower, type Named } from '@stave/service-kit';
import { ClusterLookup } from './cluster.lookup.js';

/** What reads of clusters need beyond their documents. */
@Injectable()
export class ClusterReads {
  private readonly operated = new DocumentDecorator<string | null>((_document, version) => ({ operatedBy: version }));

  constructor(
    private readonly lookup: ClusterLookup,
    private readonly ring: RingFollower,
  ) {}

  find(meta: RequestMeta, ref: string): Promise<Named<ClusterState>> {
    return this.lookup.find(meta, ref);
  }

  /** Adds the driver version with which the cluster's current conductor operates it; null without a conductor. */
  withOperator(document: ResourceDocument): ResourceDocument {
    const { id, conductorGroup, driver, driverVersion } = document as ResourceDocument & ClusterSpecification;
    const operator = this.ring.view.operatorOf(conductorGroup, driver, driverVersion, String(id));
    return this.operated.of(document, operator?.version ?? null);
  }
}
