import { Inject, Injectable } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { firstValueFrom, isObservable } from 'rxjs';
import type { MessageSubscription } from '@stave/platform';
import { commandSubject, type ServiceReply, type ServiceRequest } from '@stave/contracts';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { requestValidator } from '../validation/request-validator.js';
import { SERVICE_OPTIONS, type ServiceOptions } from './ports.js';
import { replyOf } from './reply.filter.js';

/**
 * Nest's microservice transport over the messaging port: the same controllers answer over NATS and in process. It puts what a handler
 * returns into the reply envelope; an Observable carries the reply that the filter made of an error.
 * Patterns of controllers that every service has are `<resource>.<verb>`, without the service.
 */
@Injectable()
export class MessagingTransport extends Server implements CustomTransportStrategy {
  private subscriptions: MessageSubscription[] = [];

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'messaging' | 'service'>,
    private readonly plans: DryRunHandler,
  ) {
    super();
  }

  listen(callback: () => void): void {
    const { messaging, service } = this.options;
    for (const [pattern, handler] of this.messageHandlers) {
      const [resource = '', verb = '', ...more] = pattern.split('.');
      const subject = more.length > 0 ? pattern : commandSubject(service, resource, verb);
      const answer = async (payload: unknown): Promise<ServiceReply> => {
        const result: unknown = await handler(payload, undefined);
        return isObservable(result) ? (firstValueFrom(result) as Promise<ServiceReply>) : replyOf(result);
      };
      const check = requestValidator(subject);
      const serve = async (payload: unknown): Promise<unknown> => {
        const refusal = check(payload);
        if (refusal) return { ok: false, error: refusal.error };
        return isPlanned(payload) ? this.plans.serve(payload, answer) : answer(payload);
      };
      this.subscriptions.push(messaging.serve(subject, service, serve));
    }
    callback();
  }

  /** Accepts no more requests. Resolves when those in progress are answered. */
  async close(): Promise<void> {
    const open = this.subscriptions;
    this.subscriptions = [];
    await Promise.all(open.map(s => s.close()));
  }

  on(): never {
    throw new Error('this transport has no events');
  }

  unwrap<T>(): T {
    return this.options.messaging as T;
  }
}

function isPlanned(payload: unknown): payload is ServiceRequest {
  const { meta } = payload as Partial<ServiceRequest>;
  return meta?.dryRun === true || meta?.planToken !== undefined;
}
