import type { LoadedDriver } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import type { ConductorIdentity, ConductorLimits, ConductorTimes } from './config/conductor.settings.js';
import type { Counters } from './counters.js';
import type { Clock } from './time/clock.js';

/** What a conductor is put together from. */
export interface ConductorDependencies {
  readonly identity: ConductorIdentity;
  readonly messaging: Messaging;
  readonly drivers: readonly LoadedDriver[];
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly times: ConductorTimes;
  readonly limits: ConductorLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counters: Counters;
}
