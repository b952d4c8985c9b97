/** A range that includes both ends. */
export type Range = readonly [from: number, to: number];

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
  | 'createContainerWithVolume'
  | 'deleteContainer'
  | 'restartContainer'
  | 'stopContainer';

/**
 * The distribution of faults and requests from which schedules are drawn. Times are milliseconds; shares are between 0
 * and 1.
 */
export interface Profile {
  /** The duration of faults and requests, after which everything must converge. */
  readonly lastsMs: Range;
  /** The share of messages that are lost, arrive twice (`repeated`), or arrive after `lateMs` (`late`). */
  readonly lost: number;
  readonly repeated: number;
  readonly late: number;
  readonly lateMs: Range;
  /** The share of calls to stores and the cloud whose request, or whose answer after the effect, is lost. */
  readonly lostRequest: number;
  readonly lostAnswer: number;
  /** The share of appends that are refused as if another writer had been first. */
  readonly conflict: number;
  /** The share of late deliveries of subscriptions, and their delay. */
  readonly slowFeed: number;
  readonly slowFeedMs: Range;
  /** The time between two process faults, and the share of kills and freezes; the others are partitions. */
  readonly faultEveryMs: Range;
  readonly killed: number;
  readonly frozen: number;
  readonly downMs: Range;
  readonly freezeMs: Range;
  readonly cutMs: Range;
  /** The share of process faults with which a service also loses its documents. */
  readonly documentsLost: number;
  /** The share of changes of the cloud at which the conductor is frozen between its last check and the call. */
  readonly frozenAtChange: number;
  readonly frozenAtChangeMs: Range;
  readonly actions: Range;
  readonly kinds: readonly Action[];
  /** The share of schedules in which the cluster is deleted while faults continue. */
  readonly deleted: number;
  /** The share of schedules in which one conductor pins the ring keys. */
  readonly pinned: number;
  /**
   * The share of schedules in which services register in the ring, too; one of them pins the ring keys if a conductor
   * does.
   */
  readonly registered: number;
}
