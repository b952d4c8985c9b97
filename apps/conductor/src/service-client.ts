import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { memberSubject, RefusedError, type RequestMeta, type ServiceName } from '@stave/contracts';
import type { TaskResource } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { ask, conductorActor } from '@stave/service-kit';
import { ConductorContext } from './conductor.context.js';
import { MESSAGING } from './conductor.tokens.js';

/** The service that owns the resources of each kind. */
export const serviceOf: Readonly<Record<TaskResource, ServiceName>> = {
  cluster: 'cluster-service',
  node: 'nodegroup-service',
  machine: 'nodegroup-service',
  container: 'container-scheduler',
  network: 'container-scheduler',
  volume: 'container-scheduler',
};

/** Sends requests of a conductor to the services. */
@Injectable()
export class ServiceClient {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  /** Throws as `ask` of the service kit. D is the reply that the contract names. */
  async ask<D>(service: ServiceName, [resource, verb]: readonly [string, string], body: object): Promise<D> {
    const subject = memberSubject(this.context.groupToken, service, resource, verb);
    const actor = { keyId: conductorActor(this.context.id), role: 'admin', project: null } as const;
    const meta: RequestMeta = { correlationId: randomUUID(), actor };
    return (await ask<D>(this.messaging, subject, { meta, body }, this.context.times.requestTimeoutMs)).data;
  }
}

/** Returns whether a failed request may succeed later: there was no answer, or the service was unable to process it. */
export function isRetriable(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return true;
  return ['unavailable', 'internal', 'capacity', 'conflict'].includes(error.error.kind);
}
