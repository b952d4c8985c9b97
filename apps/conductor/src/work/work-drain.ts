import { Injectable } from '@nestjs/common';
import { ConductorContext } from '../conductor.context.js';
import { settledBefore } from '../time/clock.js';
import { ClaimLoop } from './claim-loop.js';
import { TaskRunner } from './task-runner.js';

/** Ends the work of a conductor that leaves: it claims nothing new, and finishes or releases the claimed tasks. */
@Injectable()
export class WorkDrain {
  constructor(
    private readonly claims: ClaimLoop,
    private readonly runner: TaskRunner,
    private readonly context: ConductorContext,
  ) {}

  /** Resolves when no task is in flight. Releases the tasks that are not finished after `graceMs`. */
  async finish(graceMs: number, reason: 'draining' | 'stopping'): Promise<void> {
    const { claims, runner } = this;
    const { clock, times, log } = this.context;
    claims.stop();
    if (await settledBefore(clock, runner.idle(), graceMs)) return;
    log.info({ inFlight: runner.inFlight, reason }, 'releasing unfinished tasks');
    runner.stop(reason);
    const limitMs = times.abortGraceMs + times.requestTimeoutMs + times.retry.maxMs;
    if (await settledBefore(clock, runner.idle(), limitMs)) return;
    log.warn({ inFlight: runner.inFlight }, 'leaving with tasks whose release was not confirmed');
  }

  /** Releases all unfinished tasks now. */
  releaseNow(): void {
    this.runner.stop('stopping');
  }
}
