import type { Profile } from './kernel/profile.js';

/** All kinds of faults. */
export const USUAL: Profile = {
  lastsMs: [20_000, 50_000],
  lost: 0.02,
  repeated: 0.02,
  late: 0.04,
  lateMs: [100, 4_000],
  lostRequest: 0.003,
  lostAnswer: 0.005,
  conflict: 0.01,
  slowFeed: 0.05,
  slowFeedMs: [50, 3_000],
  faultEveryMs: [500, 8_000],
  killed: 0.4,
  frozen: 0.35,
  downMs: [100, 8_000],
  freezeMs: [500, 20_000],
  cutMs: [500, 15_000],
  documentsLost: 0.05,
  frozenAtChange: 0.03,
  frozenAtChangeMs: [3_000, 30_000],
  actions: [3, 10],
  kinds: [
    'resizeGroup',
    'removeNode',
    'replaceNode',
    'rebuildNode',
    'rebootNode',
    'drainNode',
    'cordonNode',
    'uncordonNode',
    'moveCluster',
    'moveGroup',
    'createContainer',
    'createContainer',
    'createContainer',
    'deleteContainer',
    'restartContainer',
    'stopContainer',
    'cancelOperation',
  ],
  deleted: 0.3,
  pinned: 0.3,
  registered: 0,
};

/** No faults. */
export const CALM: Profile = {
  ...USUAL,
  lost: 0,
  repeated: 0,
  late: 0,
  lostRequest: 0,
  lostAnswer: 0,
  conflict: 0,
  slowFeed: 0,
  killed: 0,
  frozen: 0,
  cutMs: [0, 0],
  documentsLost: 0,
  frozenAtChange: 0,
};

/** No random faults, because a script decides. Nodes are rebuilt all the time, so that there is work to claim. */
export const DIRECTED: Profile = {
  ...CALM,
  lastsMs: [45_000, 45_000],
  faultEveryMs: [60_000, 60_000],
  actions: [40, 50],
  kinds: ['rebuildNode', 'rebuildNode', 'rebuildNode', 'rebootNode', 'createContainer', 'restartContainer'],
  deleted: 0,
  pinned: 0,
};

/** Conductors are frozen before a change, their sessions end meanwhile, and others rebuild or remove the same nodes. */
export const FROZEN_AT_CHANGES: Profile = {
  ...USUAL,
  lost: 0.01,
  late: 0.02,
  frozenAtChange: 0.3,
  frozenAtChangeMs: [9_000, 18_000],
  faultEveryMs: [5_000, 20_000],
  actions: [15, 25],
  kinds: ['rebuildNode', 'rebuildNode', 'resizeGroup', 'replaceNode', 'createContainer', 'restartContainer'],
  deleted: 0,
};

/** Only partitions, which last longer than a session. */
export const PARTITIONS: Profile = {
  ...USUAL,
  lost: 0,
  late: 0,
  lostRequest: 0,
  lostAnswer: 0,
  killed: 0,
  frozen: 0,
  faultEveryMs: [4_000, 9_000],
  cutMs: [8_500, 12_000],
  actions: [15, 25],
  kinds: ['rebuildNode', 'rebootNode', 'createContainer', 'restartContainer'],
  deleted: 0,
};

/**
 * Processes restart all the time, and some messages take longer than the requester waits, so that registrations
 * overtake each other.
 */
export const RESTARTS: Profile = {
  ...USUAL,
  late: 0.1,
  lateMs: [4_000, 9_000],
  killed: 1,
  faultEveryMs: [500, 2_500],
  downMs: [50, 300],
  actions: [15, 25],
  kinds: ['rebuildNode', 'createContainer', 'deleteContainer'],
  deleted: 0,
};

/** Replicas see events late, each at a different time, while partitions of conductors move slots. */
export const SLOW_FEEDS: Profile = {
  ...USUAL,
  late: 0,
  slowFeed: 0.3,
  slowFeedMs: [4_000, 9_000],
  killed: 0,
  frozen: 0,
  faultEveryMs: [2_000, 5_000],
  cutMs: [8_500, 10_000],
  frozenAtChange: 0,
  actions: [20, 40],
  kinds: [
    'rebuildNode',
    'rebootNode',
    'replaceNode',
    'moveCluster',
    'moveGroup',
    'restartContainer',
    'createContainer',
  ],
  deleted: 0,
};

/** Groups are changed, rebuilt and rebooted repeatedly under all faults. */
export const ROLLING: Profile = {
  ...USUAL,
  actions: [6, 15],
  kinds: [
    'patchGroup',
    'patchGroup',
    'patchGroup',
    'relabelGroup',
    'rebuildGroup',
    'rebootGroup',
    'cancelOperation',
    'retryGroup',
    'resizeGroup',
    'replaceNode',
    'createContainer',
  ],
  deleted: 0.1,
};

/** Stores lose requests and answers, appends conflict, and documents are lost. */
export const LOST_ANSWERS: Profile = {
  ...USUAL,
  lostRequest: 0.03,
  lostAnswer: 0.06,
  conflict: 0.1,
  documentsLost: 0.4,
  killed: 0.2,
};

/** Containers are placed, moved and removed while their nodes are drained, replaced and removed, with pinned ring keys and services in the ring. */
export const CONTAINERS: Profile = {
  ...USUAL,
  actions: [15, 30],
  kinds: [
    'createContainer',
    'createContainer',
    'createContainer',
    'deleteContainer',
    'restartContainer',
    'stopContainer',
    'drainNode',
    'uncordonNode',
    'replaceNode',
    'removeNode',
    'resizeGroup',
  ],
  deleted: 0.2,
  pinned: 0.7,
  registered: 0.7,
};

/** Retained data is bound to nodes while these are removed, replaced and rebuilt, alone and in rolling changes, under all faults. */
export const VOLUMES: Profile = {
  ...USUAL,
  actions: [15, 30],
  kinds: [
    'createContainerWithVolume',
    'createContainerWithVolume',
    'createContainerWithVolume',
    'deleteContainer',
    'patchGroup',
    'rebuildGroup',
    'retryGroup',
    'resizeGroup',
    'removeNode',
    'replaceNode',
    'rebuildNode',
    'drainNode',
    'uncordonNode',
  ],
  deleted: 0.1,
};

export const PROFILES = {
  usual: USUAL,
  'frozen at changes': FROZEN_AT_CHANGES,
  partitions: PARTITIONS,
  restarts: RESTARTS,
  'slow feeds': SLOW_FEEDS,
  rolling: ROLLING,
  'lost answers': LOST_ANSWERS,
  containers: CONTAINERS,
  volumes: VOLUMES,
  directed: DIRECTED,
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileName = keyof typeof PROFILES;
