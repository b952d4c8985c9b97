import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceRequest } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { callConductor, MESSAGING, RingFollower } from '@stave/service-kit';
import { ClusterLookup } from './cluster.lookup.js';
import { clusterRouting } from './cluster.tasks.js';

const CALL_MS = 15_000;

@Controller()
export class ClusterCredentialsController {
  constructor(
    private readonly lookup: ClusterLookup,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  /** Requests the credentials of the cluster's engine from its conductor. Throws RefusedError `not-built`, `no-conductor`. */
  @MessagePattern(commandSubject('cluster-service', 'cluster', 'credentials'))
  async credentials({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
    const { id, state } = await this.lookup.find(meta, body.id);
    const { spec, generation } = state;
    if (!state.built)
      throw new RefusedError({ code: 'not-built', kind: 'conflict', detail: 'the cluster is not built yet' });
    return callConductor(this.ring, this.messaging, {
      resourceId: id,
      description: 'this cluster',
      routing: clusterRouting(spec),
      call: { kind: 'cluster.credentials', spec: { id, clusterId: id, generation, options: spec.options } },
      timeoutMs: CALL_MS,
    });
  }
}
