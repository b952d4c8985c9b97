import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { OfferedDriver } from '@stave/domain';
import {
  RefusedError,
  type EpochReply,
  type LeaveRequest,
  type RegisterReply,
  type RegisterRequest,
} from '@stave/contracts';
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

/** Services of older releases do not let a session change its drivers. */
const isFinal = (error: unknown): boolean =>
  error instanceof RefusedError && ['session-in-use', 'session-ended'].includes(error.error.code);

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
    const { clock, times } = this.context;
    const { installation } = await this.epoch();
    if (installation !== undefined) await this.drivers.open(installation);
    const { epoch: basedOn } = await this.epoch();
    const id = randomUUID();
    const sentAt = clock.now();
    const { offered } = this.drivers;
    const terms = await this.send(id, offered, basedOn);
    const guard = new SessionGuard(clock, sentAt, terms.sessionTimeoutMs * (1 - times.guardMargin));
    const session = new Session(id, terms, guard, clock);
    this.offerLater(session, offered.length);
    if (installation === undefined) void this.drivers.open(terms.installation);
    return session;
  }

  private epoch(): Promise<EpochReply> {
    return this.client.ask<EpochReply>('cluster-service', ['conductor', 'epoch'], {});
  }

  private send(session: string, drivers: readonly OfferedDriver[], basedOn: number): Promise<RegisterReply> {
    const { id: conductor, ...own } = this.context.identity;
    const request: RegisterRequest = { conductor, ...own, drivers, session, basedOn };
    return this.client.ask<RegisterReply>('cluster-service', ['conductor', 'register'], request);
  }

  /** Offers drivers that open after the registration. Where that is refused, the session ends and another registers with them. */
  private offerLater(session: Session, registered: number): void {
    const { log } = this.context;
    let offers = registered;
    let sending = Promise.resolve();
    const offer = async (): Promise<void> => {
      const drivers = this.drivers.offered;
      if (drivers.length === offers || !session.isAlive()) return;
      if (!(await this.sendUntilAnswered(session, drivers))) return session.finish('ended');
      offers = drivers.length;
      log.info({ drivers: drivers.map(({ name, version }) => `${name}@${version}`) }, 'the offered drivers changed');
    };
    const next = (): void => void (sending = sending.then(offer));
    session.onEnd(this.drivers.onOpened(next));
    next();
  }

  /** Resolves with whether the drivers are offered; false when that was refused. Retries until the session ends. */
  private async sendUntilAnswered(session: Session, drivers: readonly OfferedDriver[]): Promise<boolean> {
    const { clock, times, log } = this.context;
    for (let attempt = 0; session.isAlive(); attempt++) {
      try {
        await this.send(session.id, drivers, (await this.epoch()).epoch);
        return true;
      } catch (error) {
        log.warn({ err: error, attempt }, 'the offer of an opened driver was not accepted');
        if (!isRetriable(error) || isFinal(error)) return false;
        await pause(clock, backoffMs(attempt, times.retry), session.signal);
      }
    }
    return true;
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
