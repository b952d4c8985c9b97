import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import { readEnvironment, type Environment } from '@stave/platform';
import { IsIn, IsInt, IsNotEmpty, IsNumber, Matches, Max, Min } from 'class-validator';
import { defaultLimits, defaultTimes, type ConductorLimits, type ConductorTimes } from './conductor.settings.js';
import { IsGroup } from './group.validator.js';

/** The environment of a conductor of its own process. What is absent has the default shown; others are refused. */
export class ConductorEnvironment {
  /** Of one living conductor only; part of subjects. Default: a new UUID at every start. */
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'takes 1 to 64 letters, digits, - and _' })
  CONDUCTOR_ID: string = randomUUID();

  /** Any text up to 255 code points. */
  @IsGroup()
  CONDUCTOR_GROUP = '';

  /** Share of the ring, relative to the others. */
  @IsNumber({}, { message: 'takes a number' })
  @Min(0.01, { message: 'is at least 0.01' })
  @Max(1_000, { message: 'is at most 1000' })
  CONDUCTOR_WEIGHT = 1;

  /** Tasks at a time. */
  @IsInt({ message: 'takes a whole number' })
  @Min(1, { message: 'is at least 1' })
  @Max(4_096, { message: 'is at most 4096' })
  CONDUCTOR_CONCURRENCY = defaultLimits.total;

  /** Tasks at a time by driver: `swarm_docker=4,fake=64`. */
  @Matches(/^([a-z][a-z0-9_-]*=[1-9]\d{0,3}(,|$))*$/, { message: 'takes driver=number, separated by commas' })
  CONDUCTOR_DRIVER_CONCURRENCY = '';

  /** Names, or names with version (`fake@1.0.0`), separated by commas; empty: all that are found. */
  DRIVERS_ENABLED = '';

  /** Directories or packages besides the built-in drivers, separated as in PATH. */
  DRIVERS_PATH = '';

  @IsNotEmpty({ message: 'is needed' })
  NATS_URL = 'nats://127.0.0.1:4222';

  NATS_USER = '';

  NATS_PASSWORD = '';

  NATS_TOKEN = '';

  @IsNotEmpty({ message: 'is needed' })
  DATA_DIR = 'data';

  /** `true` while services or conductors of a release without groups run: ring keys without the group. */
  @IsIn(['true', 'false'], { message: 'takes true or false' })
  RING_KEY_PIN = 'false';

  @IsInt({ message: 'takes whole milliseconds' })
  @Min(1_000, { message: 'is at least 1000' })
  ORPHAN_SWEEP_MS = defaultTimes.sweepPeriodMs;

  /** How long what is deleted, or a lower generation, may still stand before the sweep removes it. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(1_000, { message: 'is at least 1000' })
  ORPHAN_GONE_MS = defaultTimes.goneGraceMs;

  /** How long what no stream knows may stand before the sweep removes it. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(1_000, { message: 'is at least 1000' })
  ORPHAN_NEVER_MS = defaultTimes.neverGraceMs;

  /** How long tasks may go on after SIGTERM before they are released. */
  @IsInt({ message: 'takes whole milliseconds' })
  @Min(0, { message: 'is not negative' })
  STOP_GRACE_MS = defaultTimes.stopGraceMs;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], { message: 'takes a level of pino' })
  LOG_LEVEL = 'info';
}

export interface ConductorConfig {
  readonly id: string;
  readonly group: string;
  readonly weight: number;
  readonly keyMode: 'group' | 'pinned';
  readonly directories: readonly string[];
  readonly enabled: readonly string[];
  readonly nats: { readonly servers: string; readonly user?: string; readonly pass?: string; readonly token?: string };
  readonly dataDir: string;
  readonly limits: ConductorLimits;
  readonly times: Partial<ConductorTimes>;
  readonly logLevel: string;
}

/** Reads the environment. Throws BadEnvironmentError with all problems at once. `builtIn`: the directory of our own drivers. */
export function conductorConfig(env: Environment, builtIn: string): ConductorConfig {
  const given = readEnvironment(ConductorEnvironment, env);
  const { NATS_USER: user, NATS_PASSWORD: pass, NATS_TOKEN: token } = given;
  return {
    id: given.CONDUCTOR_ID,
    group: given.CONDUCTOR_GROUP,
    weight: given.CONDUCTOR_WEIGHT,
    keyMode: given.RING_KEY_PIN === 'true' ? 'pinned' : 'group',
    directories: [builtIn, ...parts(given.DRIVERS_PATH, delimiter)],
    enabled: parts(given.DRIVERS_ENABLED, ','),
    nats: { servers: given.NATS_URL, ...(user && { user }), ...(pass && { pass }), ...(token && { token }) },
    dataDir: given.DATA_DIR,
    limits: { total: given.CONDUCTOR_CONCURRENCY, perDriver: perDriver(given) },
    times: {
      sweepPeriodMs: given.ORPHAN_SWEEP_MS,
      goneGraceMs: given.ORPHAN_GONE_MS,
      neverGraceMs: given.ORPHAN_NEVER_MS,
      stopGraceMs: given.STOP_GRACE_MS,
    },
    logLevel: given.LOG_LEVEL,
  };
}

function perDriver({ CONDUCTOR_DRIVER_CONCURRENCY: text, CONDUCTOR_CONCURRENCY: total }: ConductorEnvironment) {
  const given = parts(text, ',').map(part => {
    const [name = '', limit] = part.split('=');
    return [name, Number(limit)] as const;
  });
  return { ...defaultLimits.perDriver, '*': total, ...Object.fromEntries(given) };
}

function parts(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map(part => part.trim())
    .filter(part => part !== '');
}
