import {
  commandSubject,
  owners,
  RefusedError,
  type RequestMeta,
  type ResourceName,
  type ServiceError,
  type ServiceName,
  type ServiceReply,
  type ServiceRequest,
} from '@stave/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { MESSAGING, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';

export interface Reply {
  readonly data: unknown;
  readonly position?: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isServiceError(value: unknown): value is ServiceError {
  return isObject(value) && 'code' in value && 'kind' in value && typeof value.code === 'string';
}

function isServiceReply(value: unknown): value is ServiceReply {
  if (!isObject(value) || !('ok' in value)) return false;
  return value.ok === true || (value.ok === false && 'error' in value && isServiceError(value.error));
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

  /**
   * Sends a request to a service. Throws RefusedError with the error of the service, or the error of the messaging. `extraMs` extends
   * the deadline of requests that wait.
   */
  async askService(
    service: ServiceName,
    resource: string,
    verb: string,
    request: ServiceRequest | { readonly body: unknown },
    extraMs = 0,
  ): Promise<Reply> {
    const timeoutMs = this.settings.requestTimeoutMs + extraMs;
    const reply = await this.messaging.request(commandSubject(service, resource, verb), request, { timeoutMs });
    if (!isServiceReply(reply)) throw new Error(`the reply of ${service} to ${resource}.${verb} is not a ServiceReply`);
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.position === undefined ? { data: reply.data } : { data: reply.data, position: reply.position };
  }
}
