import { callSubject, RefusedError, type CallRequest, type ServiceReply } from '@stave/contracts';
import { slotOf, type ClusterState } from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import { MESSAGING, RingFollower } from '@stave/service-kit';

const CALL_MS = 15_000;

const unavailable = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

/** Requests the credentials of a cluster's engine from its conductor. */
@Injectable()
export class ClusterCredentials {
  constructor(
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  /** Throws RefusedError: `not-built`, `no-conductor`, or what the conductor refuses. */
  async of(id: string, state: ClusterState): Promise<unknown> {
    if (!state.spec || !state.built)
      throw new RefusedError({ code: 'not-built', kind: 'conflict', detail: 'the cluster is not built yet' });
    const { conductorGroup, driver, driverVersion, options } = state.spec;
    const { view } = this.ring;
    const call: CallRequest = {
      kind: 'cluster.credentials',
      driver: { name: driver, version: driverVersion },
      spec: { id, clusterId: id, generation: state.generation, options },
    };
    const subject = callSubject(view.tokenOf(view.keyFor(conductorGroup, driver)), slotOf(id));
    try {
      const reply = (await this.messaging.request(subject, call, { timeoutMs: CALL_MS })) as ServiceReply;
      if (reply.ok) return reply.data;
      throw new RefusedError(reply.error);
    } catch (error) {
      if (error instanceof NoRespondersError) throw unavailable('no conductor serves this cluster at the moment');
      if (error instanceof RequestTimeoutError)
        throw unavailable('the conductor of this cluster did not answer in time');
      throw error;
    }
  }
}
