import { setImmediate } from 'node:timers/promises';
import { ErrorCode, Events, type NatsConnection } from 'nats';
import { MessagingRefusedError } from '../messaging.port.js';

/** Subjects, with wildcards, that a process publishes to and subscribes to. */
export interface NatsNeeds {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** In place of wildcards: nobody listens there, so that a probe neither reaches nor misses a message. */
const PROBE = 'permission-probe';
const probed = (subject: string): string => subject.replace(/[*>]/g, PROBE);

/** Tries what a process needs on a connection of its own, which it closes. Throws MessagingRefusedError, which names every subject that the server refuses. */
export async function requirePermissions(connection: NatsConnection, needs: NatsNeeds): Promise<void> {
  const refused = new Set<string>();
  // the client does not end this iteration when the connection is closed
  void (async () => {
    for await (const { type, data, permissionContext } of connection.status())
      if (type === Events.Error && data === ErrorCode.PermissionsViolation && permissionContext)
        refused.add(`${permissionContext.operation} ${permissionContext.subject}`);
  })();
  for (const subject of needs.subscribe) connection.subscribe(probed(subject), { callback: () => undefined });
  for (const subject of needs.publish) connection.publish(probed(subject));
  await connection.flush();
  await setImmediate(); // refusals arrive before the answer to the flush, and are taken by the iteration
  await connection.close();
  const found = [
    ...needs.subscribe
      .filter(each => refused.has(`subscription ${probed(each)}`))
      .map(each => `the subscription ${each}`),
    ...needs.publish.filter(each => refused.has(`publish ${probed(each)}`)).map(each => `the publication ${each}`),
  ];
  if (found.length > 0)
    throw new MessagingRefusedError(`NATS refuses ${found.join(', ')}: check the permissions of this user`);
}
