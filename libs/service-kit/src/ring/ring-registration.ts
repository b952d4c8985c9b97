import { serviceActor } from '../resources/new-events.js';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  commandSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  sessionSubject,
  type EpochReply,
  type Heartbeat,
  type HeartbeatReply,
  type LeaveRequest,
  type RegisterReply,
  type RegisterRequest,
} from '@stave/contracts';
import { omitUndefined, type KeyMode } from '@stave/domain';
import type { MessageSubscription } from '@stave/platform';
import { ask } from '../composition/ask.js';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';

const REQUEST_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

export interface RingUser {
  readonly release: string;
  /** `pinned` while a release without groups in ring keys runs beside this one. */
  readonly keyMode: KeyMode;
}

/**
 * Keeps this process registered as a user of the ring, as a conductor does: a session, heartbeats, a new session when the old one has
 * ended. A service claims no work, so nothing has to stop when its session ends; only its key mode counts, while the session lives.
 */
@Injectable()
export class RingRegistration {
  readonly member: string;
  private readonly life = new AbortController();
  private session: { readonly id: string; readonly over: AbortController; okAt: number } | undefined;
  private replies: MessageSubscription | undefined;
  private living: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SERVICE_OPTIONS)
    private readonly options: Pick<ServiceOptions, 'service' | 'ringUser' | 'messaging' | 'log'>,
  ) {
    this.member = `${options.service}-${randomUUID()}`;
  }

  /** Registers in the background, and repeats that until it is answered. Does nothing without a `ringUser`. */
  start(): void {
    const { ringUser, messaging } = this.options;
    if (!ringUser) return;
    this.replies = messaging.subscribe(heartbeatReplySubject(this.member), payload =>
      this.answered(payload as HeartbeatReply),
    );
    this.living = this.live(ringUser);
  }

  /** Leaves the ring; without an answer the session expires. */
  async stop(): Promise<void> {
    this.life.abort();
    await this.living;
    await this.replies?.close();
    const session = this.session?.id;
    if (session === undefined) return;
    const request: LeaveRequest = { conductor: this.member, session };
    await this.ask('leave', request).catch((err: unknown) =>
      this.options.log.debug({ err }, 'leaving was not answered'),
    );
  }

  private async live(user: RingUser): Promise<void> {
    for (let failures = 0; !this.life.signal.aborted;) {
      try {
        await this.beatUntilOver(await this.register(user));
        failures = 0;
      } catch (err) {
        failures += 1;
        this.options.log.debug({ err }, 'registration in the ring was not answered, trying again');
      }
      await rest(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), this.life.signal);
    }
  }

  private async register(user: RingUser): Promise<RegisterReply> {
    const { epoch: basedOn } = await this.ask<EpochReply>('epoch', {});
    const id = randomUUID();
    const own = { kind: 'service', conductor: this.member, group: '', drivers: [], weight: 1 } as const;
    const request: RegisterRequest = { ...own, ...user, session: id, basedOn };
    const reply = await this.ask<RegisterReply>('register', request);
    this.session = { id, over: new AbortController(), okAt: performance.now() };
    this.options.log.info({ member: this.member, session: id, epoch: reply.epoch }, 'registered in the ring');
    return reply;
  }

  private async beatUntilOver({ heartbeatMs, sessionTimeoutMs }: RegisterReply): Promise<void> {
    const { session } = this;
    if (!session) return;
    const { messaging } = this.options;
    const signal = AbortSignal.any([session.over.signal, this.life.signal]);
    const presence = messaging.serve(sessionSubject(session.id), 'session', async () => ({ session: session.id }));
    for (let sequence = 1; !signal.aborted; sequence++) {
      const server = messaging.connection()?.server;
      const beat: Heartbeat = {
        member: this.member,
        session: session.id,
        sequence,
        load: 0,
        ...omitUndefined({ server }),
      };
      messaging.publish(heartbeatSubject, beat);
      await rest(heartbeatMs, signal);
      if (performance.now() - session.okAt > sessionTimeoutMs) break;
    }
    await presence.close();
  }

  private answered({ session, status }: HeartbeatReply): void {
    if (session !== this.session?.id) return;
    if (status === 'ok') this.session.okAt = performance.now();
    if (status === 'ended') this.session.over.abort();
  }

  private async ask<D>(verb: string, body: object): Promise<D> {
    const actor = { keyId: serviceActor(this.member), role: 'admin', project: null } as const;
    const request = { meta: { correlationId: randomUUID(), actor }, body };
    const subject = commandSubject('cluster-service', 'conductor', verb);
    return (await ask<D>(this.options.messaging, subject, request, REQUEST_MS)).data;
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
