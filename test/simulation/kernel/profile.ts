/** Both ends included. */
export type Range = readonly [from: number, to: number];

/** What an operator asks for. */
export type Action =
  | 'resizeGroup'
  | 'patchGroup'
  | 'relabelGroup'
  | 'moveGroup'
  | 'rebuildGroup'
  | 'rebootGroup'
  | 'retryGroup'
  | 'cancelOperation'
  | 'moveCluster'
  | 'removeNode'
  | 'replaceNode'
  | 'rebuildNode'
  | 'rebootNode'
  | 'drainNode'
  | 'cordonNode'
  | 'uncordonNode'
  | 'createContainer'
  | 'deleteContainer'
  | 'restartContainer'
  | 'stopContainer';

/** How often what fails, and what operators ask for: the distribution that schedules are drawn from. Times are milliseconds, shares 0 to 1. */
export interface Profile {
  /** How long faults and requests last; then everything must converge. */
  readonly lastsMs: Range;
  /** Shares of messages; a repeated one arrives twice, a late one after `lateMs`. */
  readonly lost: number;
  readonly repeated: number;
  readonly late: number;
  readonly lateMs: Range;
  /** Shares of calls of stores and the cloud whose request or answer is lost; an answer is lost after the effect. */
  readonly lostRequest: number;
  readonly lostAnswer: number;
  /** Share of appends that are refused as if another writer came first. */
  readonly conflict: number;
  /** How often a subscription delivers late, and by how much. */
  readonly slowFeed: number;
  readonly slowFeedMs: Range;
  /** The time between two faults of processes: a kill, a freeze, or else a partition. */
  readonly faultEveryMs: Range;
  readonly killed: number;
  readonly frozen: number;
  readonly downMs: Range;
  readonly freezeMs: Range;
  readonly cutMs: Range;
  /** Share of the faults with which a service also loses all of its documents. */
  readonly documentsLost: number;
  /** Share of changes of the cloud at which the conductor is frozen between its last check and the call. */
  readonly frozenAtChange: number;
  readonly frozenAtChangeMs: Range;
  readonly actions: Range;
  readonly kinds: readonly Action[];
  /** Share of schedules in which the cluster is deleted while faults continue. */
  readonly deleted: number;
  /** Share of schedules in which one conductor asks for pinned ring keys. */
  readonly pinned: number;
  /** Share of schedules in which services register in the ring too; one of them asks for pinned ring keys where a conductor does. */
  readonly registered: number;
}
