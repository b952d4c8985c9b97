import {
  commandSubject,
  owners,
  RefusedError,
  type RequestMeta,
  type ResourceName,
  type ServiceName,
  type ServiceReply,
  type ServiceRequest,
} from '@stave/contracts';
import { isUuid } from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { MESSAGING, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';

export interface Reply {
  readonly data: unknown;
  readonly position?: number;
}

/** The members of a message that identify a resource. */
export interface ResourceTarget {
  /** An id or a name. */
  readonly id: string;
  readonly clusterId?: string;
}

function isServiceReply(value: unknown): value is ServiceReply {
  const error = member(value, 'error');
  const isRefusal = typeof member(error, 'code') === 'string' && member(error, 'kind') !== undefined;
  return member(value, 'ok') === true || (member(value, 'ok') === false && isRefusal);
}

/** Sends requests to the services and throws their refusals. */
@Injectable()
export class ServiceClient {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** Sends a request to the service that owns the resource type. */
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
   * the deadline of requests that wait.
   */
  async askService(
    service: ServiceName,
    resource: string,
    verb: string,
    request: ServiceRequest,
    extraMs = 0,
  ): Promise<Reply> {
    const timeoutMs = this.settings.requestTimeoutMs + extraMs;
    const reply = await this.messaging.request(commandSubject(service, resource, verb), request, { timeoutMs });
    if (!isServiceReply(reply)) throw new Error(`the reply of ${service} to ${resource}.${verb} is not a ServiceReply`);
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.position === undefined ? { data: reply.data } : { data: reply.data, position: reply.position };
  }
}
