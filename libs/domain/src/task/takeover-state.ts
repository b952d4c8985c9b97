import type { Work } from './task-state.js';

/**
 * Where a resource is by its stream. `settled`: nothing is wanted and nobody is at it. `open`: wanted, nobody is at it.
 * `backing-off`: wanted, not before its time. `retriesExhausted`: wanted once somebody asks. `held`: somebody who lives is at it. Of a holder
 * that is dead: `claimed`, it was at what is wanted; `superseded`, at something that is not wanted any more; `abandoned`, the same, and
 * nothing else is wanted yet.
 */
export type TakeoverState =
  'settled' | 'open' | 'backing-off' | 'retriesExhausted' | 'held' | 'claimed' | 'superseded' | 'abandoned';

/** `now`: ISO time. `isLive`: whether a session lives, by the ring. */
export function takeoverState(work: Work, isLive: (session: string) => boolean, now: string): TakeoverState {
  const { wanted, claim } = work;
  if (claim && isLive(claim.session)) return 'held';
  if (!wanted) return claim ? 'abandoned' : 'settled';
  if (wanted.retriesExhausted) return 'retriesExhausted';
  if (claim) return claim.taskId === wanted.taskId ? 'claimed' : 'superseded';
  return wanted.notBefore !== undefined && wanted.notBefore > now ? 'backing-off' : 'open';
}
