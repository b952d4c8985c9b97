import { callSubject, RefusedError, type CallRequest, type ServiceReply } from '@stave/contracts';
import { slotOf, type ClusterState } from '@stave/domain';
import { NoRespondersError, RequestTimeoutError } from '@stave/platform';
import type { ServiceRuntime } from '@stave/service-kit';

const CALL_MS = 15_000;

const unavailable = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

/** What a client of the engine needs, asked of the conductor of the cluster. Throws RefusedError. */
export async function clusterCredentials(runtime: ServiceRuntime, id: string, state: ClusterState): Promise<unknown> {
  if (!state.spec || !state.built)
    throw new RefusedError({ code: 'not-built', kind: 'conflict', detail: 'the cluster is not built yet' });
  const { conductorGroup, driver, driverVersion, options } = state.spec;
  const { view } = runtime.ring;
  const call: CallRequest = {
    call: 'cluster.credentials',
    driver: { name: driver, version: driverVersion },
    ref: { id, clusterId: id, generation: state.generation, options },
  };
  const subject = callSubject(view.tokenOf(view.keyFor(conductorGroup, driver)), slotOf(id));
  try {
    const reply = (await runtime.options.messaging.request(subject, call, { timeoutMs: CALL_MS })) as ServiceReply;
    if (reply.ok) return reply.data;
    throw new RefusedError(reply.error);
  } catch (error) {
    if (error instanceof NoRespondersError) throw unavailable('the conductor of this cluster does not listen');
    if (error instanceof RequestTimeoutError) throw unavailable('the conductor of this cluster does not answer');
    throw error;
  }
}
