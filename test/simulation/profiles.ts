import type { Profile } from './kernel/profile.js';

/** Some of everything. */
export const USUAL: Profile = {
  lastsMs: [30_000, 90_000],
  lost: 0.03,
  repeated: 0.03,
  late: 0.05,
  lateMs: [100, 4_000],
  slowFeed: 0.1,
  slowFeedMs: [50, 3_000],
  strikeMs: [500, 9_000],
  killed: 0.35,
  stopped: 0.35,
  downMs: [100, 10_000],
  stopMs: [500, 25_000],
  cutMs: [500, 15_000],
  stoppedAtChange: 0.04,
  stopAtChangeMs: [3_000, 40_000],
  actions: [2, 7],
  kinds: ['resize', 'remove', 'replace', 'rebuild', 'reboot', 'drain', 'cordon', 'uncordon', 'move', 'moveGroup'],
  deleted: 0.4,
};

/** Conductors stop before a change, their sessions end meanwhile, and others rebuild or remove the same nodes. */
export const STOPPED_AT_CHANGES: Profile = {
  ...USUAL,
  lost: 0.01,
  late: 0.02,
  stoppedAtChange: 0.3,
  stopAtChangeMs: [9_000, 18_000],
  strikeMs: [5_000, 20_000],
  actions: [30, 50],
  kinds: ['rebuild', 'rebuild', 'resize', 'replace'],
  deleted: 0,
};

/** Nothing is lost but whole connections, for longer than a session lasts. */
export const CUTS: Profile = {
  ...USUAL,
  lost: 0,
  late: 0,
  killed: 0,
  stopped: 0,
  strikeMs: [6_000, 12_000],
  cutMs: [8_500, 12_000],
  actions: [30, 50],
  kinds: ['rebuild'],
  deleted: 0,
};

/** Processes come and go all the time, and some messages take longer than the asker waits: registrations overtake each other. */
export const RESTARTS: Profile = {
  ...USUAL,
  late: 0.1,
  lateMs: [4_000, 9_000],
  killed: 1,
  strikeMs: [500, 2_500],
  downMs: [50, 300],
  actions: [30, 60],
  kinds: ['rebuild'],
  deleted: 0,
};

/** Replicas see what happened late, each at another time, while slots move because conductors are cut off and come back. */
export const SLOW_FEEDS: Profile = {
  ...USUAL,
  lost: 0.02,
  late: 0,
  slowFeed: 0.3,
  slowFeedMs: [4_000, 9_000],
  killed: 0,
  stopped: 0,
  strikeMs: [2_000, 5_000],
  cutMs: [8_500, 10_000],
  stoppedAtChange: 0,
  actions: [60, 100],
  kinds: ['rebuild', 'reboot', 'replace', 'move', 'moveGroup'],
  deleted: 0,
};

/** Groups are changed, rebuilt and restarted as a whole, over and over, while everything dies. */
export const ROLLING: Profile = {
  ...USUAL,
  actions: [6, 20],
  kinds: [
    'roll',
    'roll',
    'roll',
    'tag',
    'rebuildGroup',
    'rebootGroup',
    'cancelGroup',
    'retryGroup',
    'resize',
    'replace',
  ],
  deleted: 0.1,
};
