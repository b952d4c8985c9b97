import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { commandSubject, RefusedError, type RequestMeta, type ServiceName, type ServiceReply } from '@stave/contracts';
import type { UnitKind } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from './conductor.context.js';
import { MESSAGING } from './conductor.tokens.js';
import { fieldsOf } from './message-fields.js';

/** The service that owns the resources of each kind. */
export const serviceOf: Readonly<Record<UnitKind, ServiceName>> = {
  cluster: 'cluster-service',
  node: 'nodegroup-service',
  container: 'container-scheduler',
};

/** Sends requests of a conductor to the services. */
@Injectable()
export class ServiceClient {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  /** Sends one request. Throws RefusedError for an error reply, else what Messaging.request throws. D is the reply that the contract names. */
  async ask<D>(service: ServiceName, [resource, verb]: readonly [string, string], body: object): Promise<D> {
    const subject = commandSubject(service, resource, verb);
    const actor = { keyId: `conductor:${this.context.id}`, role: 'admin', project: null } as const;
    const meta: RequestMeta = { correlationId: randomUUID(), actor };
    const timeoutMs = this.context.times.requestTimeoutMs;
    const reply = await this.messaging.request(subject, { meta, body }, { timeoutMs });
    if (!isReply<D>(reply)) throw new Error(`${subject} was answered with a message that is not a service reply`);
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.data;
  }
}

function isReply<D>(reply: unknown): reply is ServiceReply<D> {
  const fields = fieldsOf(reply);
  return fields['ok'] === true ? 'data' in fields : fields['ok'] === false && 'error' in fields;
}

/** Returns whether a failed request may succeed later: there was no answer, or the service was unable to process it. */
export function isRetriable(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return true;
  return ['unavailable', 'internal', 'capacity', 'conflict'].includes(error.error.kind);
}
