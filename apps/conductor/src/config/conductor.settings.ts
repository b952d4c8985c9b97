import type { BackoffSettings } from '../time/backoff.js';

/** All times in milliseconds. */
export interface ConductorTimes {
  /** Part of the session's time-out that is kept as margin: no side effect in it. */
  readonly guardMargin: number;
  readonly requestTimeoutMs: number;
  /** Hints that arrive within this time lead to one claim. */
  readonly hintDebounceMs: number;
  /** Claims are asked for at least this often. */
  readonly claimPollMs: number;
  readonly progressIntervalMs: number;
  /** How long a driver call may take to stop after its signal fired, before its task is reported without it. */
  readonly abortGraceMs: number;
  readonly callTimeoutMs: number;
  readonly sweepPeriodMs: number;
  readonly sweepTimeoutMs: number;
  readonly goneGraceMs: number;
  readonly neverGraceMs: number;
  /** How often what should stand is looked for on the infrastructure. */
  readonly healthPeriodMs: number;
  /** How long something must be seen missing, stopped or failed before it counts as lost. */
  readonly lostAfterMs: number;
  /** How long the engine of a node that runs may not answer before the node counts as lost. */
  readonly silentAfterMs: number;
  /** How long tasks may go on after `stop()` before they are released. */
  readonly stopGraceMs: number;
  /** How long tasks may go on after a drain that names no deadline. */
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
  /** Tasks at a time. */
  readonly total: number;
  /** By driver name; `*` stands for all others. */
  readonly perDriver: Readonly<Record<string, number>>;
}

/** swarm_docker starts a whole engine per node on the conductor's own host. */
export const defaultLimits: ConductorLimits = { total: 64, perDriver: { '*': 64, swarm_docker: 4 } };

/** The limit of one driver. */
export function driverLimit(limits: ConductorLimits, driver: string): number {
  return Math.min(limits.total, limits.perDriver[driver] ?? limits.perDriver['*'] ?? limits.total);
}

/** Who this conductor is. */
export interface ConductorIdentity {
  readonly id: string;
  readonly group: string;
  readonly weight: number;
  readonly keyMode: 'group' | 'pinned';
  readonly release: string;
}
