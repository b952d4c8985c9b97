import type { LeaveRequest } from '@stave/contracts';
import type { Logger } from 'pino';
import type { ConductorTimes } from '../config/conductor.settings.js';
import { isWorthRepeating, type ServiceClient } from '../service-client.js';
import { backoffMs } from '../time/backoff.js';
import { pause, settlesWithin, type Clock } from '../time/clock.js';
import type { ClaimLoop } from '../work/claim-loop.js';
import type { TaskRunner } from '../work/task-runner.js';
import type { Session } from './session.js';

const LEAVE_TRIES = 5;

export interface RetirementParts {
  readonly claims: ClaimLoop;
  readonly runner: TaskRunner;
  readonly client: ServiceClient;
  readonly conductor: string;
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly log: Logger;
}

/** How a conductor goes: claims nothing new, finishes or releases what it has, leaves. */
export class Retirement {
  constructor(private readonly parts: RetirementParts) {}

  /** Resolves when nothing is in flight: what is not finished after `graceMs` is released. */
  async finishWork(graceMs: number, reason: 'draining' | 'stopping'): Promise<void> {
    const { claims, runner, clock, times, log } = this.parts;
    claims.stop();
    if (await settlesWithin(clock, runner.idle(), graceMs)) return;
    log.info({ inFlight: runner.inFlight, reason }, 'releasing what is not finished');
    runner.stop(reason);
    const limitMs = times.abortGraceMs + times.requestTimeoutMs + times.retry.maxMs;
    if (await settlesWithin(clock, runner.idle(), limitMs)) return;
    log.warn({ inFlight: runner.inFlight }, 'leaving with tasks whose release nobody confirmed');
  }

  /** Tells cluster-service, and ends the session in any case: without an answer it expires by itself. */
  async leave(session: Session): Promise<void> {
    const { client, conductor, clock, times, log } = this.parts;
    const request: LeaveRequest = { conductor, session: session.id };
    for (let attempt = 0; attempt < LEAVE_TRIES && session.isAlive(); attempt++) {
      try {
        await client.ask<unknown>('cluster-service', ['conductor', 'leave'], request);
        break;
      } catch (error) {
        log.warn({ err: error, session: session.id }, 'leaving was not answered');
        if (!isWorthRepeating(error)) break;
        await pause(clock, backoffMs(attempt, times.retry), session.signal);
      }
    }
    session.finish('left');
  }
}
