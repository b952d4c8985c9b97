import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadDrivers, type LoadedDriver } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import { ConductorContext } from './conductor.context.js';
import { Conductor } from './conductor.js';
import { ConductorModule } from './conductor.module.js';
import {
  defaultLimits,
  defaultTimes,
  type ConductorIdentity,
  type ConductorLimits,
  type ConductorTimes,
} from './config/conductor.settings.js';
import { systemClock, type Clock } from './time/clock.js';

/** Loaded drivers, or the directories to load them from. */
export type DriverSource =
  | readonly LoadedDriver[]
  | { readonly directories: readonly string[]; readonly enabled?: readonly string[]; readonly base?: string };

export interface ConductorOptions extends ConductorIdentity {
  /** The caller closes it, not the conductor. */
  readonly messaging: Messaging;
  readonly drivers: DriverSource;
  /** The directory where drivers keep what must outlive the process. */
  readonly dataDir: string;
  /** Passed to the drivers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly limits?: Partial<ConductorLimits>;
  readonly times?: Partial<ConductorTimes>;
  readonly clock?: Clock;
}

/** Creates a conductor without starting it. Throws when no driver could be loaded. */
export async function createConductor(options: ConductorOptions): Promise<Conductor> {
  const { id, group, weight, keyMode, release, messaging, dataDir, env, limits, times, clock } = options;
  const log = options.log.child({ conductor: id });
  const loaded = await driversOf(options.drivers, log);
  const context = new ConductorContext(
    { id, group, weight, keyMode, release },
    { ...defaultTimes, ...times },
    { ...defaultLimits, ...limits, perDriver: { ...defaultLimits.perDriver, ...limits?.perDriver } },
    clock ?? systemClock,
    log,
  );
  const application = await NestFactory.createApplicationContext(
    ConductorModule.of({ context, messaging, drivers: { loaded, dataDir, env: { ...env, CONDUCTOR_ID: id } } }),
    { logger: false, abortOnError: false },
  );
  return application.get(Conductor);
}

async function driversOf(source: DriverSource, log: Logger): Promise<readonly LoadedDriver[]> {
  if (!('directories' in source)) return source;
  const { drivers, refused } = await loadDrivers({ ...source, log });
  if (drivers.length > 0) return drivers;
  const reasons = refused.map(({ directory, reason }) => `${directory}: ${reason}`);
  throw new Error(`no driver could be loaded: ${reasons.join('; ') || 'none was found'}`);
}
