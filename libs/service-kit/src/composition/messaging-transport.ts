import { Inject, Injectable } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { firstValueFrom, isObservable } from 'rxjs';
import { traced, timings, type Logger, type MessageSubscription } from '@stave/platform';
import { commandSubject, memberSubject, type ServiceReply, type ServiceRequest } from '@stave/contracts';
import { NewerEvents } from '../events/newer-events.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import { conductorActor } from '../resources/new-events.js';
import { isOfConductors, MemberProof } from '../ring/member-proof.js';
import { requestValidator } from '../validation/request-validator.js';
import { SERVICE_OPTIONS, type ServiceOptions } from './ports.js';
import { replyOf } from './reply.filter.js';

/** The verbs of requests that change nothing, and whose answers cause no change elsewhere. */
const reads: ReadonlySet<string> = new Set([
  ...['get', 'list', 'get-at', 'list-at', 'diff', 'verify'],
  ...['credentials', 'logs', 'follow-logs', 'stats', 'explain', 'of-target', 'attachments'],
  ...['lookup', 'table', 'epoch'],
]);

const commandSeconds = timings({
  name: 'stave_command_duration_seconds',
  help: 'Time from a request to a service to its reply; `outcome`: `ok`, the kind of the refusal, or `failed` where there was no reply',
  labels: ['service', 'resource', 'verb', 'outcome'],
});

/**
 * Nest's microservice transport over the messaging port: the same controllers answer over NATS and in process. It puts what a handler
 * returns into the reply envelope; an Observable carries the reply that the filter made of an error.
 * Patterns of controllers that every service has are `<resource>.<verb>`, without the service.
 */
@Injectable()
export class MessagingTransport extends Server implements CustomTransportStrategy {
  private subscriptions: MessageSubscription[] = [];

  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'messaging' | 'service' | 'log'>,
    private readonly plans: DryRunHandler,
    private readonly newer: NewerEvents,
    private readonly proof: MemberProof,
  ) {
    super();
  }

  listen(callback: () => void): void {
    const { messaging, service, log } = this.options;
    for (const [pattern, handler] of this.messageHandlers) {
      const [resource = '', verb = '', ...more] = pattern.split('.');
      const subject = more.length > 0 ? pattern : commandSubject(service, resource, verb);
      const answer = async (payload: unknown): Promise<ServiceReply> => {
        const result: unknown = await handler(payload, undefined);
        return isObservable(result) ? (firstValueFrom(result) as Promise<ServiceReply>) : replyOf(result);
      };
      const check = requestValidator(subject);
      const handle = async (payload: unknown): Promise<ServiceReply> => {
        const refusal = check(payload);
        if (refusal) return { ok: false, error: refusal.error };
        return isPlanned(payload) ? this.plans.serve(payload, answer) : answer(payload);
      };
      const isRead = reads.has(verb) || reads.has(more.at(-1) ?? '');
      const named = more.length > 0 ? { resource: more.at(-2) ?? '', verb: more.at(-1) ?? '' } : { resource, verb };
      const serve = (payload: unknown): Promise<ServiceReply> =>
        measured({ service, ...named }, payload, log, () => this.unlessNewer(isRead, () => handle(payload)));
      this.subscriptions.push(messaging.serve(subject, service, serve));
      // conductors of earlier releases, and services that register, use the subject without a group
      if (isOfConductors(resource, verb)) this.serveConductors([resource, verb], serve);
      else if (isOfConductors(more[1] ?? '', more[2] ?? ''))
        this.serveConductors([more[1] ?? '', more[2] ?? ''], serve);
    }
    callback();
  }

  /** Answers a command of conductors on subjects that prove their group. Whom the events name is what was proven. */
  private serveConductors(
    [resource, verb]: readonly [string, string],
    serve: (payload: unknown) => Promise<ServiceReply>,
  ): void {
    const { messaging, service } = this.options;
    const proven = async (payload: unknown, subject: string): Promise<ServiceReply> => {
      const { meta, body, traceparent } = Object(payload) as Partial<ServiceRequest<{ readonly conductor?: unknown }>>;
      const provenGroup = subject.split('.')[2] ?? '';
      const error = await this.proof.refusal(provenGroup, [resource, verb], body);
      if (error) return { ok: false, error };
      const conductor = Object(body)['conductor'];
      const actor = {
        keyId: conductorActor(typeof conductor === 'string' ? conductor : ''),
        role: 'admin',
        project: null,
      };
      return serve({ body, meta: { ...meta, actor }, provenGroup, ...(traceparent !== undefined && { traceparent }) });
    };
    this.subscriptions.push(messaging.serve(memberSubject('*', service, resource, verb), service, proven));
  }

  /**
   * While this replica cannot read what a newer release has written, it answers reads only. What it does not find may be known to others.
   */
  private async unlessNewer(isRead: boolean, handle: () => Promise<ServiceReply>): Promise<ServiceReply> {
    const refused = (): ServiceReply => ({ ok: false, error: this.newer.refusal });
    if (this.newer.found && !isRead) return refused();
    const reply = await handle();
    return this.newer.found && !reply.ok && reply.error.kind === 'not-found' ? refused() : reply;
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

async function measured(
  of: { readonly service: string; readonly resource: string; readonly verb: string },
  payload: unknown,
  log: Logger,
  serve: () => Promise<ServiceReply>,
): Promise<ServiceReply> {
  const begun = performance.now();
  let outcome = 'failed';
  try {
    const reply = await spanned(of, payload, serve);
    outcome = reply.ok ? 'ok' : reply.error.kind;
    return reply;
  } finally {
    const ms = performance.now() - begun;
    commandSeconds({ ...of, outcome }, ms / 1_000);
    if (log.isLevelEnabled('debug')) {
      const { meta } = Object(payload) as Partial<ServiceRequest>;
      log.debug(
        { correlationId: meta?.correlationId, resource: of.resource, verb: of.verb, outcome, ms: Math.round(ms) },
        'command',
      );
    }
  }
}

/** Requests that no span has sent, such as heartbeats, are not traced. */
function spanned(
  { service, resource, verb }: { readonly service: string; readonly resource: string; readonly verb: string },
  payload: unknown,
  serve: () => Promise<ServiceReply>,
): Promise<ServiceReply> {
  const { traceparent: parent } = Object(payload) as Partial<ServiceRequest>;
  if (parent === undefined) return serve();
  return traced(
    `${resource}.${verb}`,
    { kind: 'server', parent, attributes: { 'stave.service': service } },
    async span => {
      const reply = await serve();
      if (!reply.ok) span?.setAttribute('stave.refused', reply.error.kind);
      return reply;
    },
  );
}

function isPlanned(payload: unknown): payload is ServiceRequest {
  const { meta } = payload as Partial<ServiceRequest>;
  return meta?.dryRun === true || meta?.planToken !== undefined;
}
