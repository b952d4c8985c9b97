import type { BackoffSettings } from '../time/backoff.js';

/** All times in milliseconds. */
export interface ConductorTimes {
  /** The part of the session's timeout at its end in which no side effect is allowed. */
  readonly guardMargin: number;
  readonly requestTimeoutMs: number;
  /** Hints that arrive within this time result in one claim. */
  readonly hintDebounceMs: number;
  /** The longest time between two claims. */
  readonly claimPollMs: number;
  readonly progressIntervalMs: number;
  /** How long a driver call may run after its signal fired before its task is reported without it. */
  readonly abortGraceMs: number;
  readonly callTimeoutMs: number;
  readonly sweepPeriodMs: number;
  readonly sweepTimeoutMs: number;
  readonly goneGraceMs: number;
  readonly neverGraceMs: number;
  /** The time between two health checks. */
  readonly healthPeriodMs: number;
  /** How long a unit must be missing, stopped or failed before it is reported. */
  readonly lostAfterMs: number;
  /** How long the engine of a running node may not answer before the node is reported. */
  readonly silentAfterMs: number;
  /** How long tasks may continue after `stop()` before they are released. */
  readonly stopGraceMs: number;
  /** How long tasks may continue after a drain without a deadline. */
  readonly drainMs: number;
  readonly retry: BackoffSettings;
}

export const defaultTimes: ConductorTimes = {
  guardMargin: 0.25,
  requestTimeoutMs: 3_000,
  hintDebounceMs: 15,
  claimPollMs: 2_000,
  progressIntervalMs: 200,
  abortGraceMs: 5_000,
  callTimeoutMs: 30_000,
  sweepPeriodMs: 30_000,
  sweepTimeoutMs: 60_000,
  goneGraceMs: 10_000,
  neverGraceMs: 60_000,
  healthPeriodMs: 10_000,
  lostAfterMs: 4_000,
  silentAfterMs: 120_000,
  stopGraceMs: 10_000,
  drainMs: 60_000,
  retry: { baseMs: 100, maxMs: 5_000 },
};

export interface ConductorLimits {
  /** The most tasks at a time. */
  readonly total: number;
  /** The most tasks at a time by driver name; `*`: all other drivers. */
  readonly perDriver: Readonly<Record<string, number>>;
}

/** swarm_docker is limited, because it starts one Docker Engine per node on the conductor's own host. */
export const defaultLimits: ConductorLimits = { total: 64, perDriver: { '*': 64, swarm_docker: 4 } };

/** Returns the limit of one driver. */
export function driverLimit(limits: ConductorLimits, driver: string): number {
  return Math.min(limits.total, limits.perDriver[driver] ?? limits.perDriver['*'] ?? limits.total);
}

/** How a conductor registers in the ring. */
export interface ConductorIdentity {
  readonly id: string;
  readonly group: string;
  readonly weight: number;
  readonly keyMode: 'group' | 'pinned';
  readonly release: string;
}
