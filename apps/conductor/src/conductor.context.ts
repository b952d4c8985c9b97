import { groupToken } from '@stave/domain';
import type { Logger } from 'pino';
import type { ConductorIdentity, ConductorLimits, ConductorTimes } from './config/conductor.settings.js';
import type { Clock } from './time/clock.js';
import { noAttemptLog, type AttemptLog } from './work/attempt-log.js';

/** Counts of a conductor since its start. */
export class Counters {
  done = 0;
  failed = 0;
  released = 0;
  /** Reports that were answered `stale`, because another conductor had claimed the task. */
  stale = 0;
  /** Reports that were dropped because the session ended, or refused by the service. */
  dropped = 0;
  sweptOrphans = 0;
  /** Missing nodes whose loss is suspected not to be their own. */
  suspectedLosses = 0;
  /** The same of containers on nodes that are there. */
  suspectedContainerLosses = 0;
  sessions = 0;
  inFlight = 0;
}

export class ConductorContext {
  readonly counters = new Counters();
  /** The group in the form of subjects. */
  readonly groupToken: string;

  constructor(
    readonly identity: ConductorIdentity,
    readonly times: ConductorTimes,
    readonly limits: ConductorLimits,
    readonly clock: Clock,
    readonly log: Logger,
    readonly attempts: AttemptLog = noAttemptLog,
  ) {
    this.groupToken = groupToken(identity.group);
  }

  get id(): string {
    return this.identity.id;
  }
}
