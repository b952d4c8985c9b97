/** Both ends included. */
export type Range = readonly [from: number, to: number];

export type Action =
  | 'resize'
  | 'remove'
  | 'replace'
  | 'rebuild'
  | 'reboot'
  | 'drain'
  | 'cordon'
  | 'uncordon'
  | 'move'
  | 'moveGroup'
  | 'roll'
  | 'tag'
  | 'rebuildGroup'
  | 'rebootGroup'
  | 'cancelGroup'
  | 'retryGroup';

/** How often what goes wrong, and what people ask for: the distribution that schedules are drawn from. Times in milliseconds. */
export interface Profile {
  /** How long faults and requests go on; then everything must come to rest. */
  readonly lastsMs: Range;
  /** Of a message; a repeated one arrives twice, a late one after `lateMs`. */
  readonly lost: number;
  readonly repeated: number;
  readonly late: number;
  readonly lateMs: Range;
  /** How often the feed of the log is slow to tell a service, and by how much. */
  readonly slowFeed: number;
  readonly slowFeedMs: Range;
  /** Between two processes being struck; one that is neither killed nor stopped is cut off. */
  readonly strikeMs: Range;
  readonly killed: number;
  readonly stopped: number;
  readonly downMs: Range;
  readonly stopMs: Range;
  readonly cutMs: Range;
  /** A conductor is stopped exactly between its last check and a change. */
  readonly stoppedAtChange: number;
  readonly stopAtChangeMs: Range;
  readonly actions: Range;
  readonly kinds: readonly Action[];
  /** The cluster is deleted while faults go on. */
  readonly deleted: number;
}
