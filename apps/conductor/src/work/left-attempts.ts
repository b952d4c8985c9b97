import { Injectable } from '@nestjs/common';
import type { RecoveredRequest } from '@stave/contracts';
import type { TaskResource } from '@stave/driver-sdk';
import { ConductorContext } from '../conductor.context.js';
import { ServiceClient, serviceOf } from '../service-client.js';
import { backoffMs } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import type { LeftAttempt } from './attempt-log.js';

const TRIES = 3;
/** Bounds the size of a message. */
const AT_ONCE = 50;

/** Sends the services the last log lines of attempts that earlier processes had not ended when they died. */
@Injectable()
export class LeftAttempts {
  constructor(
    private readonly client: ServiceClient,
    private readonly context: ConductorContext,
  ) {}

  /**
   * To be called before a registration, which ends the session of an earlier process with this id. Never throws; without an answer the
   * lines are sent before the next registration.
   */
  async send(signal: AbortSignal): Promise<void> {
    const { attempts, clock, times, log } = this.context;
    for (let attempt = 0; attempt < TRIES && !signal.aborted; attempt++) {
      try {
        const left = attempts.left();
        for (const kind of Object.keys(serviceOf) as TaskResource[])
          await this.sendTo(
            kind,
            left.filter(({ resource }) => resource.type === kind),
          );
        return attempts.forgetLeft();
      } catch (error) {
        log.warn({ err: error, attempt }, 'log lines of an earlier process were not sent');
        await pause(clock, backoffMs(attempt, times.retry), signal);
      }
    }
  }

  private async sendTo(kind: TaskResource, left: readonly LeftAttempt[]): Promise<void> {
    for (let at = 0; at < left.length; at += AT_ONCE) {
      const body: RecoveredRequest = { attempts: left.slice(at, at + AT_ONCE) };
      await this.client.ask<object>(serviceOf[kind], ['task', 'recovered'], body);
    }
  }
}
