import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadDrivers, type LoadedDriver } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import { Conductor } from './conductor.js';
import { ConductorModule } from './conductor.module.js';
import {
  defaultLimits,
  defaultTimes,
  type ConductorIdentity,
  type ConductorLimits,
  type ConductorTimes,
} from './config/conductor.settings.js';
import { newCounters } from './counters.js';
import { systemClock, type Clock } from './time/clock.js';

/** Drivers that are loaded already, or where to find them. */
export type DriverSource =
  | readonly LoadedDriver[]
  | { readonly directories: readonly string[]; readonly enabled?: readonly string[]; readonly base?: string };

export interface ConductorOptions extends ConductorIdentity {
  /** Stays the caller's: the conductor does not close it. */
  readonly messaging: Messaging;
  readonly drivers: DriverSource;
  /** Drivers keep there what must outlive the process. */
  readonly dataDir: string;
  /** Handed to the drivers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly limits?: Partial<ConductorLimits>;
  readonly times?: Partial<ConductorTimes>;
  readonly clock?: Clock;
}

/** Thrown when a conductor has not one driver that could be loaded. */
export class NoDriversError extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(`no driver could be loaded: ${reasons.join('; ') || 'none was found'}`);
    this.name = 'NoDriversError';
  }
}

/** A conductor that was not started yet. Throws NoDriversError. */
export async function createConductor(options: ConductorOptions): Promise<Conductor> {
  const { id, group, weight, keyMode, release, messaging, dataDir, env } = options;
  const log = options.log.child({ conductor: id });
  const context = await NestFactory.createApplicationContext(
    ConductorModule.of({
      identity: { id, group, weight, keyMode, release },
      messaging,
      drivers: await driversOf(options.drivers, log),
      dataDir,
      env: { ...env, CONDUCTOR_ID: id },
      times: { ...defaultTimes, ...options.times },
      limits: {
        total: options.limits?.total ?? defaultLimits.total,
        perDriver: { ...defaultLimits.perDriver, ...options.limits?.perDriver },
      },
      clock: options.clock ?? systemClock,
      log,
      counters: newCounters(),
    }),
    { logger: false, abortOnError: false },
  );
  return context.get(Conductor);
}

async function driversOf(source: DriverSource, log: Logger): Promise<readonly LoadedDriver[]> {
  if (!('directories' in source)) return source;
  const { drivers, refused } = await loadDrivers({ ...source, log });
  if (drivers.length > 0) return drivers;
  throw new NoDriversError(refused.map(({ directory, reason }) => `${directory}: ${reason}`));
}
