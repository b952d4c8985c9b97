import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { EpochReply, LeaveRequest, RegisterReply, RegisterRequest } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { isRetriable, ServiceClient } from '../service-client.js';
import { backoffMs } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import { LeftAttempts } from '../work/left-attempts.js';
import { Session } from './session.js';
import { SessionGuard } from './session-guard.js';

const LEAVE_ATTEMPTS = 5;

@Injectable()
export class Registrar {
  constructor(
    private readonly client: ServiceClient,
    private readonly drivers: DriverPool,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly leftAttempts: LeftAttempts,
    private readonly context: ConductorContext,
  ) {}

  /**
   * Registers, and retries with back-off until it is answered. Returns undefined when the signal fired. Each attempt is a new session:
   * one whose answer was lost expires by itself, and one that arrives after a later attempt is refused.
   */
  async register(signal: AbortSignal): Promise<Session | undefined> {
    const { clock, times, log } = this.context;
    await this.leftAttempts.send(signal);
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        return await this.tryOnce();
      } catch (error) {
        log.warn({ err: error, attempt }, 'registration was not answered, retrying');
        await pause(clock, backoffMs(attempt, times.retry), signal);
      }
    }
    return undefined;
  }

  /** A session does not outlast the connection: services may end it at once when its process cannot be asked any more. */
  private async tryOnce(): Promise<Session> {
    const connection = new AbortController();
    const stop = this.messaging.onBroken(() => connection.abort());
    try {
      const session = await this.newSession();
      session.onEnd(stop);
      connection.signal.addEventListener('abort', () => session.finish('disconnected'));
      if (connection.signal.aborted) session.finish('disconnected');
      return session;
    } catch (error) {
      stop();
      throw error;
    }
  }

  private async newSession(): Promise<Session> {
    const { clock, times, identity } = this.context;
    const { epoch: basedOn } = await this.client.ask<EpochReply>('cluster-service', ['conductor', 'epoch'], {});
    const session = randomUUID();
    const { id: conductor, ...own } = identity;
    const request: RegisterRequest = { conductor, ...own, drivers: this.drivers.offered, session, basedOn };
    const sentAt = clock.now();
    const terms = await this.client.ask<RegisterReply>('cluster-service', ['conductor', 'register'], request);
    const guard = new SessionGuard(clock, sentAt, terms.sessionTimeoutMs * (1 - times.guardMargin));
    return new Session(session, terms, guard, clock);
  }

  /** Leaves the ring and ends the session. Without an answer the session expires by itself. */
  async leave(session: Session): Promise<void> {
    const { clock, times, log, id: conductor } = this.context;
    const request: LeaveRequest = { conductor, session: session.id };
    for (let attempt = 0; attempt < LEAVE_ATTEMPTS && session.isAlive(); attempt++) {
      try {
        await this.client.ask<unknown>('cluster-service', ['conductor', 'leave'], request);
        break;
      } catch (error) {
        log.warn({ err: error, session: session.id }, 'the request to leave the ring was not answered');
        if (!isRetriable(error)) break;
        await pause(clock, backoffMs(attempt, times.retry), session.signal);
      }
    }
    session.finish('left');
  }
}
