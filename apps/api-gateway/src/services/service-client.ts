import {
  commandSubject,
  owners,
  type RequestMeta,
  type ResourceName,
  type ServiceName,
  type ServiceRequest,
} from '@stave/contracts';
import { isUuid } from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { ask } from '@stave/service-kit';
import { MESSAGING, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { member } from '../http/members.js';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { notFound } from '../problems/refusals.js';

export interface Reply {
  readonly data: unknown;
  readonly position?: number;
}

export interface ResourceTarget {
  /** An id or a name. */
  readonly id: string;
  readonly clusterId?: string;
}

/** Sends requests to the services and throws their refusals. */
@Injectable()
export class ServiceClient {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    private readonly keys: KeyLifetimes,
  ) {}

  ask(resource: ResourceName, verb: string, meta: RequestMeta, body: unknown): Promise<Reply> {
    return this.askService(owners[resource], resource, verb, { meta, body });
  }

  /** Returns the id of a resource. Throws RefusedError (not-found) when no resource has this name. */
  async idOf(resource: ResourceName, meta: RequestMeta, target: ResourceTarget): Promise<string> {
    if (isUuid(target.id)) return target.id;
    const id = member((await this.ask(resource, 'get', meta, target)).data, 'id');
    if (typeof id !== 'string') throw notFound();
    return id;
  }

  /**
   * Sends a request to a service. Throws RefusedError with the error of the service, or the error of the messaging. `extraMs` extends
   * the deadline of requests that wait. A read ends when its key does.
   */
  async askService(
    service: ServiceName,
    resource: string,
    verb: string,
    request: ServiceRequest,
    extraMs = 0,
  ): Promise<Reply> {
    const subject = commandSubject(service, resource, verb);
    const { meta } = request;
    const reply = ask<unknown>(this.messaging, subject, request, this.settings.requestTimeoutMs + extraMs);
    // a change that was sent takes place: its answer must not deny it
    return meta.request === undefined ? this.keys.during(meta.actor, reply) : reply;
  }
}
