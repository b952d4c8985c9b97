import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { firstValueFrom, isObservable } from 'rxjs';
import type { Messaging, MessageSubscription } from '@stave/platform';
import type { ServiceReply, ServiceRequest } from '@stave/contracts';
import type { DryRunHandler } from '../plans/dry-run-handler.js';
import { requestValidator } from '../validation/request-validator.js';
import { replyOf } from './reply.filter.js';

/**
 * Nest's microservice transport over our messaging port: the same controllers answer over NATS and in process. What a handler returns is
 * put into the reply envelope here; an Observable is a reply made by the filter of what was thrown.
 */
export class MessagingTransport extends Server implements CustomTransportStrategy {
  private subscriptions: MessageSubscription[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly queue: string,
    private readonly plans: DryRunHandler,
  ) {
    super();
  }

  listen(callback: () => void): void {
    for (const [subject, handler] of this.messageHandlers) {
      const answer = async (payload: unknown): Promise<ServiceReply> => {
        const result: unknown = await handler(payload, undefined);
        // the filter answers with replies
        return isObservable(result) ? (firstValueFrom(result) as Promise<ServiceReply>) : replyOf(result);
      };
      const check = requestValidator(subject);
      const serve = async (payload: unknown): Promise<unknown> => {
        const refusal = check(payload);
        if (refusal) return { ok: false, error: refusal.error };
        return isPlanned(payload) ? this.plans.serve(payload, answer) : answer(payload);
      };
      this.subscriptions.push(this.messaging.serve(subject, this.queue, serve));
    }
    callback();
  }

  /** Takes no more requests, finishes those under way. */
  async close(): Promise<void> {
    const open = this.subscriptions;
    this.subscriptions = [];
    await Promise.all(open.map(s => s.close()));
  }

  on(): never {
    throw new Error('this transport has no events');
  }

  unwrap<T>(): T {
    return this.messaging as T;
  }
}

/** It asks for a plan, or is to be done as planned. */
function isPlanned(payload: unknown): payload is ServiceRequest {
  const { meta } = payload as Partial<ServiceRequest>;
  return meta?.dryRun === true || meta?.planToken !== undefined;
}
