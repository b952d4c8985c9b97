import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
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
import { SecretFiles } from './secrets/secret-files.js';
import { systemClock, type Clock } from './time/clock.js';
import type { AttemptLog } from './work/attempt-log.js';

export type DriverSource =
  | readonly LoadedDriver[]
  | {
      readonly directories: readonly string[];
      readonly enabled?: readonly string[];
      /** Those of `enabled` that the operator named; default: all. */
      readonly enabledByOperator?: readonly string[];
      readonly base?: string;
    };

export interface ConductorOptions extends ConductorIdentity {
  /** The caller closes it, not the conductor. */
  readonly messaging: Messaging;
  readonly drivers: DriverSource;
  /** The directory where drivers keep what must outlive the process. */
  readonly dataDir: string;
  /** The directory with the secrets of projects; default: none. */
  readonly secretsDir?: string;
  /** Passed to the drivers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly limits?: Partial<ConductorLimits>;
  readonly times?: Partial<ConductorTimes>;
  readonly clock?: Clock;
  /** Where the last log lines of running attempts are kept; default: nowhere. The conductor closes it. */
  readonly attempts?: AttemptLog;
}

/** Creates a conductor without starting it. Throws when no driver could be loaded. */
export const createConductor = async (options: ConductorOptions): Promise<Conductor> =>
  (await conductorApplication(options)).get(Conductor);

export async function conductorApplication(options: ConductorOptions): Promise<INestApplicationContext> {
  const { id, group, weight, keyMode, release, messaging, dataDir, env, limits, times, clock, attempts } = options;
  const log = options.log.child({ conductor: id });
  const loaded = await driversOf(options.drivers, log);
  const context = new ConductorContext(
    { id, group, weight, keyMode, release },
    { ...defaultTimes, ...times },
    {
      ...defaultLimits,
      ...limits,
      perDriver: { ...defaultLimits.perDriver, ...ownLimits(loaded), ...limits?.perDriver },
    },
    clock ?? systemClock,
    log,
    attempts,
  );
  const { enabled = [], enabledByOperator = enabled } = 'directories' in options.drivers ? options.drivers : {};
  const pool = { loaded, enabledByOperator, dataDir, env: { ...env, CONDUCTOR_ID: id } };
  const module = ConductorModule.with(context, messaging, pool, new SecretFiles(options.secretsDir));
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

async function driversOf(source: DriverSource, log: Logger): Promise<readonly LoadedDriver[]> {
  if (!('directories' in source)) return source;
  const { drivers, refused } = await loadDrivers({ ...source, log });
  if (drivers.length > 0) return drivers;
  const reasons = refused.map(({ directory, reason }) => `${directory}: ${reason}`);
  throw new Error(`no driver could be loaded: ${reasons.join('; ') || 'none was found'}`);
}

/** The most tasks at a time that drivers state themselves; of several versions the lowest. */
function ownLimits(drivers: readonly LoadedDriver[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const { manifest } of drivers) {
    const { name, concurrency = Infinity } = manifest;
    limits[name] = Math.min(limits[name] ?? Infinity, concurrency);
  }
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit < Infinity));
}
