import type { Work } from './task-state.js';

/**
 * The state of the work of a resource. `settled`: no task is wanted and none is claimed. `open`: a task is wanted and not claimed.
 * `backing-off`: the task may be claimed later. `retriesExhausted`: the task waits for a retry by an operator. `held`: a live conductor
 * holds the claim. After the death of a conductor, `claimed`: it held the wanted task; `superseded`: it held an earlier task;
 * `abandoned`: it held an earlier task and no other is wanted.
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
