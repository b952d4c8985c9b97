import { callSubject, RefusedError, type CallRequest, type ServedCallKind } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import type { DriverCall } from '@stave/driver-sdk';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import { ask } from '../composition/ask.js';
import { requireCapability } from '../resources/required-driver.js';
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

/** The capability that a driver needs for a call, and what the call asks for. */
const needed: Readonly<Partial<Record<ServedCallKind, readonly [capability: string, what: string]>>> = {
  'cluster.credentials': ['credentials', 'credentials of clusters'],
  'container.logs': ['containerLogs', 'logs of containers'],
  'container.followLogs': ['containerLogs', 'logs of containers'],
  'nodeGroup.removalOrder': ['scale', 'advice on the size of node groups'],
  'container.stats': ['containerStats', 'statistics of containers'],
};

/** Calls the conductor that holds the slot of a resource. Throws RefusedError: `unsupported`, `no-conductor`, or what the conductor refuses. */
export async function callConductor(
  { view }: Pick<RingFollower, 'view'>,
  messaging: Messaging,
  { resourceId, description, routing: { group, driver, version }, call, timeoutMs }: ConductorCall,
): Promise<unknown> {
  const [capability, what] = needed[call.kind] ?? [];
  if (capability !== undefined) requireCapability(view, { group, driver, version }, capability, what ?? capability);
  const key = view.keyFor(group, driver);
  if (view.ownerOf(key, version, resourceId) === undefined)
    throw unavailable(`no conductor offers ${driver} in the conductor group "${group}"`);
  const request: CallRequest = { driver: { name: driver, version }, ...call };
  try {
    const subject = callSubject(view.tokenOf(key), slotOf(resourceId));
    return (await ask(messaging, subject, request, timeoutMs)).data;
  } catch (error) {
    if (error instanceof NoRespondersError) throw unavailable(`the conductor of ${description} is not connected`);
    if (error instanceof RequestTimeoutError) throw unavailable(`the conductor of ${description} does not answer`);
    throw error;
  }
}
