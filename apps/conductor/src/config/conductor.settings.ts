import type { MassLossTerms } from '../health/mass-loss.js';

/** The default times of a conductor, in milliseconds where nothing else is said. */
export const defaultTimes = {
  /** The part of the session's timeout at its end in which no side effect is allowed: a fraction of it. */
  guardMargin: 0.25,
  requestTimeoutMs: 3_000,
  /** How long a registration waits until each driver was opened or has failed to open once. */
  openMs: 10_000,
  /** Hints that arrive within this time result in one claim. */
  hintDebounceMs: 15,
  claimPollMs: 2_000,
  progressIntervalMs: 200,
  /** How long a driver call may run after its signal fired before its task is reported without it. */
  abortGraceMs: 5_000,
  callTimeoutMs: 30_000,
  /** How long a request for a followed log waits for text before it is answered with an empty piece. */
  logWaitMs: 3_000,
  /** A followed log is closed after this time without a request. */
  logIdleMs: 15_000,
  logLongestMs: 600_000,
  sweepPeriodMs: 30_000,
  sweepTimeoutMs: 60_000,
  /** How long a deleted unit, or one of a lower generation, may exist before the sweep removes it. */
  goneGraceMs: 10_000,
  /** How long a unit that no stream knows may exist before the sweep removes it. */
  neverGraceMs: 60_000,
  healthPeriodMs: 10_000,
  /** Time between two samples of the utilisation of containers. */
  usagePeriodMs: 10_000,
  /** How long a unit must be missing, stopped or failed before it is reported. */
  lostAfterMs: 4_000,
  /** How long the engine of a running node may not answer before the node is reported. */
  silentAfterMs: 120_000,
  /** How long tasks may continue after `stop()` before they are released. */
  stopGraceMs: 10_000,
  /** How long tasks may continue after a drain without a deadline. */
  drainMs: 60_000,
  retry: { baseMs: 100, maxMs: 5_000 },
};

export type ConductorTimes = Readonly<typeof defaultTimes>;

export interface ConductorLimits {
  readonly total: number;
  /** The most tasks at a time by driver name; `*`: all other drivers. */
  readonly perDriver: Readonly<Record<string, number>>;
  /** The most tasks of one project at a time, for each driver; 0: see `mayRunMore`. */
  readonly perProject: number;
  readonly massLoss: MassLossTerms;
}

export const defaultLimits: ConductorLimits = {
  total: 64,
  perDriver: { '*': 64 },
  perProject: 0,
  massLoss: { share: 0.34, min: 5 },
};

export interface ConductorIdentity {
  readonly id: string;
  readonly group: string;
  readonly weight: number;
  readonly keyMode: 'group' | 'pinned';
  readonly release: string;
}
