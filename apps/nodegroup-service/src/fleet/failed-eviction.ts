/** The scheduler could not evict every container from a node. */
export interface FailedEviction {
  /** Revision of the node that the eviction was requested at. */
  readonly revision: number;
  readonly reason: string;
}
