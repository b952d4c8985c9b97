import type { Logger } from 'pino';
import type { ConductorIdentity, ConductorLimits, ConductorTimes } from './config/conductor.settings.js';
import { newCounters } from './counters.js';
import type { Clock } from './time/clock.js';

export interface ConductorContextOptions {
  readonly identity: ConductorIdentity;
  readonly times: ConductorTimes;
  readonly limits: ConductorLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The identity, settings, clock, log and counters of one conductor. */
export class ConductorContext {
  readonly identity: ConductorIdentity;
  readonly times: ConductorTimes;
  readonly limits: ConductorLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counters = newCounters();

  constructor({ identity, times, limits, clock, log }: ConductorContextOptions) {
    this.identity = identity;
    this.times = times;
    this.limits = limits;
    this.clock = clock;
    this.log = log;
  }

  get id(): string {
    return this.identity.id;
  }
}
