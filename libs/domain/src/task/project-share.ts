/** What a conductor has for the tasks of one driver. */
export interface ProjectRoom {
  /** How many more tasks it may run. */
  readonly free: number;
  /** The most tasks of one project; 0: a share that depends on what is free. */
  readonly limit: number;
}

/** Running tasks of one project for each free place: a project that is alone gets three quarters of all places. */
const SHARE = 3;

/**
 * Returns whether a project with this many running tasks may run one more. Without a limit the last free place is kept for projects that run
 * nothing, and the more projects are busy, the less each of them gets: so one that comes later need not wait for the others.
 */
export function mayRunMore(running: number, { free, limit }: ProjectRoom): boolean {
  if (limit > 0) return running < limit;
  return running === 0 || running < SHARE * (free - 1);
}
