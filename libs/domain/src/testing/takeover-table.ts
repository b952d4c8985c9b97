import type { TaskKind } from '@stave/driver-sdk';
import { MAX_TAKEOVERS } from '../task/decide-task.js';
import { takeoversInARow, type Work } from '../task/task-state.js';

/**
 * The state of the work of a resource. `settled`: no task is wanted and none is claimed. `open`: a task is wanted and not claimed.
 * `backing-off`: the task may be claimed later. `retriesExhausted`: the task waits for a retry by an operator or the node group. `held`: a live conductor
 * holds the claim. After the death of a conductor, `claimed`: it held the wanted task; `lost-repeatedly`: so did the conductors of its
 * attempts before, too often in a row; `superseded`: it held an earlier task;
 * `no-successor`: it held an earlier task and no other is wanted.
 */
export type TakeoverState =
  | 'settled'
  | 'open'
  | 'backing-off'
  | 'retriesExhausted'
  | 'held'
  | 'claimed'
  | 'lost-repeatedly'
  | 'superseded'
  | 'no-successor';

/** `now`: ISO time. `isLive`: whether a session lives, by the ring. */
export function takeoverState(work: Work, isLive: (session: string) => boolean, now: string): TakeoverState {
  const { wanted, claim } = work;
  if (claim && isLive(claim.session)) return 'held';
  if (!wanted) return claim ? 'no-successor' : 'settled';
  if (wanted.retriesExhausted) return 'retriesExhausted';
  if (claim && claim.taskId !== wanted.taskId) return 'superseded';
  if (claim) return takeoversInARow(wanted) >= MAX_TAKEOVERS ? 'lost-repeatedly' : 'claimed';
  return wanted.notBefore !== undefined && wanted.notBefore > now ? 'backing-off' : 'open';
}

/** The progress of a claimed task on the infrastructure: not started, started, or done and not reported. */
export type ClaimedTaskProgress = 'not-started' | 'in-progress' | 'done';

/** A state of a resource when its conductor dies: the state of its work, and for a claimed task its progress. */
type TakeoverPoint = Exclude<TakeoverState, 'held' | 'claimed'> | ClaimedTaskProgress;

/**
 * `resume`: claims the task and executes it. `compensate`: claims the other task that is wanted now and starts from what the dead conductor left.
 * `wait`: claims nothing before a time or a retry. `fail`: stops retrying with a reason. `nothing`: there is nothing to do.
 */
export type TakeoverAction = 'resume' | 'compensate' | 'wait' | 'fail' | 'nothing';

export interface TakeoverRow {
  readonly action: TakeoverAction;
  readonly description: string;
}

const row = (action: TakeoverAction, description: string): TakeoverRow => ({ action, description });

/** The action for each state that does not depend on the infrastructure. It is the same for every kind of task. */
export const takeoverOfWork: Readonly<Record<Exclude<TakeoverPoint, ClaimedTaskProgress>, TakeoverRow>> = {
  settled: row('nothing', 'no work was in progress'),
  open: row('resume', 'claims the task like any other'),
  'backing-off': row('wait', 'claims the task when its back-off ends'),
  retriesExhausted: row('wait', 'waits until an operator or the node group retries'),
  superseded: row('compensate', 'claims the task that is desired now, which starts from what the dead conductor left'),
  'lost-repeatedly': row('fail', 'the service ends the task with the last log lines of its conductors'),
  'no-successor': row('wait', 'claims nothing until the node is empty, then as superseded'),
};

const again = row('resume', 'runs the task');
const builds = {
  'not-started': again,
  'in-progress': row('resume', 'adopts the unit of this generation and waits for it'),
  done: row('resume', 'adopts the unit of this generation and reports it'),
};
const removes = {
  'not-started': again,
  'in-progress': row('resume', 'removes what still exists; a missing unit is success'),
  done: row('resume', 'finds nothing and reports success'),
};
const settles = {
  'not-started': again,
  'in-progress': row('resume', 'runs the task again, which changes nothing more'),
  done: row('resume', 'runs the task again, which changes nothing more'),
};
const repeats = {
  'not-started': again,
  'in-progress': row('resume', 'runs the task again: it may happen twice'),
  done: row('resume', 'runs the task again: it happens twice'),
};

/** The action of the next holder of a claimed task, by kind and by the progress on the infrastructure. */
export const takeoverOfTask: Readonly<Record<TaskKind, Readonly<Record<ClaimedTaskProgress, TakeoverRow>>>> = {
  'cluster.create': builds,
  'cluster.update': settles,
  'cluster.delete': removes,
  'cluster.rebuild': settles,
  'cluster.softReboot': repeats,
  'cluster.hardReboot': repeats,
  'node.create': builds,
  'node.rebuild': builds,
  'node.update': settles,
  'node.softReboot': repeats,
  'node.hardReboot': repeats,
  'node.drain': settles,
  'node.undrain': settles,
  'node.delete': removes,
  'container.create': builds,
  'container.update': settles,
  'container.start': settles,
  'container.stop': settles,
  'container.restart': repeats,
  'container.delete': removes,
  'network.create': builds,
  'network.delete': removes,
  'volume.create': builds,
  'volume.delete': removes,
  'machine.probe': settles,
  'machine.clean': removes,
};
