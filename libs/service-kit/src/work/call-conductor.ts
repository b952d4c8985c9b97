import { callSubject, RefusedError, type CallRequest, type ServedCallKind, type ServiceReply } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import type { DriverCall } from '@stave/driver-sdk';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import type { RingFollower } from '../ring/ring-follower.js';
import type { TaskRouting } from './task-source.js';

export interface ConductorCall {
  readonly resourceId: string;
  /** As in "the conductor of this container does not answer". */
  readonly description: string;
  readonly routing: TaskRouting;
  readonly call: DriverCall<ServedCallKind>;
  readonly timeoutMs: number;
}

const unavailable = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

/** Calls the conductor that holds the slot of a resource. Throws RefusedError: `no-conductor`, or what the conductor refuses. */
export async function callConductor(
  { view }: RingFollower,
  messaging: Messaging,
  { resourceId, description, routing: { group, driver, version }, call, timeoutMs }: ConductorCall,
): Promise<unknown> {
  const key = view.keyFor(group, driver);
  if (view.ownerOf(key, version, resourceId) === undefined)
    throw unavailable(`no conductor offers ${driver} in the conductor group "${group}"`);
  const request: CallRequest = { driver: { name: driver, version }, ...call };
  try {
    const subject = callSubject(view.tokenOf(key), slotOf(resourceId));
    const reply = (await messaging.request(subject, request, { timeoutMs })) as ServiceReply;
    if (reply.ok) return reply.data;
    throw new RefusedError(reply.error);
  } catch (error) {
    if (error instanceof NoRespondersError) throw unavailable(`the conductor of ${description} is not connected`);
    if (error instanceof RequestTimeoutError) throw unavailable(`the conductor of ${description} does not answer`);
    throw error;
  }
}
