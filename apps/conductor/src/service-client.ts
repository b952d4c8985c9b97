import { randomUUID } from 'node:crypto';
import { commandSubject, RefusedError, type RequestMeta, type ServiceName, type ServiceReply } from '@stave/contracts';
import type { Messaging } from '@stave/platform';

export type Verb = readonly [resource: string, verb: string];

/** Asks services in the name of a conductor. */
export class ServiceClient {
  constructor(
    private readonly messaging: Messaging,
    private readonly conductor: string,
    private readonly timeoutMs: number,
  ) {}

  /** One request. Throws RefusedError for an error reply, else what Messaging.request throws; D is what the contract says of this verb. */
  async ask<D>(service: ServiceName, [resource, verb]: Verb, body: object): Promise<D> {
    const subject = commandSubject(service, resource, verb);
    const reply = await this.messaging.request(subject, { meta: this.meta(), body }, { timeoutMs: this.timeoutMs });
    if (!isReply<D>(reply)) throw new Error(`${subject} answered with something else than a service reply`);
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.data;
  }

  private meta(): RequestMeta {
    const actor = { keyId: `conductor:${this.conductor}`, role: 'admin', project: null } as const;
    return { correlationId: randomUUID(), actor };
  }
}

function isReply<D>(reply: unknown): reply is ServiceReply<D> {
  if (typeof reply !== 'object' || reply === null || !('ok' in reply)) return false;
  return reply.ok === true ? 'data' in reply : reply.ok === false && 'error' in reply;
}

/** Whether asking again may help: nobody answered, or the service could not. */
export function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return true;
  return ['unavailable', 'internal', 'capacity', 'conflict'].includes(error.error.kind);
}
