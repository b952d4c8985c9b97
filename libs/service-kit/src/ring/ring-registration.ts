import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  commandSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  RefusedError,
  type EpochReply,
  type Heartbeat,
  type HeartbeatReply,
  type LeaveRequest,
  type RegisterReply,
  type RegisterRequest,
  type ServiceName,
  type ServiceReply,
} from '@stave/contracts';
import type { KeyMode } from '@stave/domain';
import type { Messaging, MessageSubscription, Logger } from '@stave/platform';

const REQUEST_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** What a service registers in the ring with. */
export interface RingUser {
  readonly release: string;
  /** `pinned` while a release without groups in ring keys runs beside this one. */
  readonly keyMode: KeyMode;
}

export interface RingRegistrationParts {
  readonly service: ServiceName;
  /** Absent: the process does not register. */
  readonly user?: RingUser;
  readonly messaging: Messaging;
  readonly log: Logger;
}

/**
 * Keeps this process registered as a user of the ring, as a conductor does: a session, heartbeats, a new session when the old one is
 * over. It claims nothing, so nothing has to stop when its session ends; what counts is its key mode, while it lives.
 */
export class RingRegistration {
  readonly member: string;
  private readonly life = new AbortController();
  private session: { readonly id: string; readonly over: AbortController; okAt: number } | undefined;
  private replies: MessageSubscription | undefined;
  private living: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RingRegistrationParts) {
    this.member = `${parts.service}-${randomUUID()}`;
  }

  /** Continues in the background until stopped, for as long as it takes to be answered. */
  start(): void {
    const { user } = this.parts;
    if (!user) return;
    this.replies = this.parts.messaging.subscribe(heartbeatReplySubject(this.member), payload =>
      this.answered(payload as HeartbeatReply),
    );
    this.living = this.live(user);
  }

  /** Says good-bye; without an answer the session ends by itself. */
  async stop(): Promise<void> {
    this.life.abort();
    await this.living;
    await this.replies?.close();
    const session = this.session?.id;
    if (session === undefined) return;
    const request: LeaveRequest = { conductor: this.member, session };
    await this.ask('leave', request).catch((err: unknown) => this.parts.log.debug({ err }, 'leaving was not answered'));
  }

  private async live(user: RingUser): Promise<void> {
    for (let failures = 0; !this.life.signal.aborted;) {
      try {
        await this.beatUntilOver(await this.register(user));
        failures = 0;
      } catch (err) {
        failures += 1;
        this.parts.log.debug({ err }, 'registration in the ring was not answered, trying again');
      }
      await rest(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), this.life.signal);
    }
  }

  private async register(user: RingUser): Promise<RegisterReply> {
    const { epoch: basedOn } = await this.ask<EpochReply>('epoch', {});
    const id = randomUUID();
    const own = { kind: 'service', conductor: this.member, group: '', drivers: [], weight: 1 } as const;
    const request: RegisterRequest = { ...own, ...user, session: id, basedOn };
    const terms = await this.ask<RegisterReply>('register', request);
    this.session = { id, over: new AbortController(), okAt: performance.now() };
    this.parts.log.info({ member: this.member, session: id, epoch: terms.epoch }, 'registered in the ring');
    return terms;
  }

  private async beatUntilOver({ heartbeatMs, sessionTimeoutMs }: RegisterReply): Promise<void> {
    const { session } = this;
    if (!session) return;
    const signal = AbortSignal.any([session.over.signal, this.life.signal]);
    for (let sequence = 1; !signal.aborted; sequence++) {
      const beat: Heartbeat = { member: this.member, session: session.id, sequence, load: 0 };
      this.parts.messaging.publish(heartbeatSubject, beat);
      await rest(heartbeatMs, signal);
      if (performance.now() - session.okAt > sessionTimeoutMs) return;
    }
  }

  private answered({ session, status }: HeartbeatReply): void {
    if (session !== this.session?.id) return;
    if (status === 'ok') this.session.okAt = performance.now();
    if (status === 'ended') this.session.over.abort();
  }

  private async ask<D>(verb: string, body: object): Promise<D> {
    const actor = { keyId: `service:${this.member}`, role: 'admin', project: null } as const;
    const request = { meta: { correlationId: randomUUID(), actor }, body };
    const subject = commandSubject('cluster-service', 'conductor', verb);
    const reply = (await this.parts.messaging.request(subject, request, { timeoutMs: REQUEST_MS })) as ServiceReply<D>;
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.data;
  }
}

/** For this long, or until the signal. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
