import type { TaskKind } from '@stave/driver-sdk';
import type { TakeoverState } from './takeover-state.js';

/** How far the infrastructure was with a claimed task: it had not heard of it; it was at it; it was done, and nobody reported so. */
export type ClaimedTaskProgress = 'not-started' | 'in-progress' | 'done';

/** Every state that a resource can be in when its conductor dies: what its stream says, and of a claimed task, what was reached. */
type TakeoverPoint = Exclude<TakeoverState, 'held' | 'claimed'> | ClaimedTaskProgress;

/**
 * `resume`: claims the task and does it. `compensate`: undoes what the dead one did, because something else is wanted by now.
 * `wait`: claims nothing before a time or before somebody asks. `fail`: stops retrying and says why. `nothing`: there is nothing to do.
 */
export type TakeoverAction = 'resume' | 'compensate' | 'wait' | 'fail' | 'nothing';

export interface TakeoverRow {
  readonly action: TakeoverAction;
  /** What that results in. */
  readonly description: string;
}

const row = (action: TakeoverAction, description: string): TakeoverRow => ({ action, description });

/** What only the stream says; the same for every kind of task. */
export const takeoverOfWork: Readonly<Record<Exclude<TakeoverPoint, ClaimedTaskProgress>, TakeoverRow>> = {
  settled: row('nothing', 'nothing was under way'),
  open: row('resume', 'claims it as if it had always been its own'),
  'backing-off': row('wait', 'claims it when its time has come, not before'),
  retriesExhausted: row('wait', 'leaves it until an operator or its group asks for more'),
  superseded: row('compensate', 'claims what is wanted now; that task finds and removes what the dead one made'),
  abandoned: row('wait', 'claims nothing until the node is empty; then as superseded'),
};

const again = row('resume', 'does it');
const builds = {
  'not-started': again,
  'in-progress': row('resume', 'takes over the unit of this generation and waits for it'),
  done: row('resume', 'takes over the unit of this generation and reports it'),
};
const removes = {
  'not-started': again,
  'in-progress': row('resume', 'removes what is still there; what is gone is success'),
  done: row('resume', 'finds nothing there and reports that'),
};
const settles = {
  'not-started': again,
  'in-progress': row('resume', 'does it again, which changes nothing more'),
  done: row('resume', 'does it again, which changes nothing more'),
};
const repeats = {
  'not-started': again,
  'in-progress': row('resume', 'does it again: it may happen twice'),
  done: row('resume', 'does it again: it happens twice'),
};

/** What the new holder of a claimed task does, by kind and by what was reached. */
export const takeoverOfTask: Readonly<Record<TaskKind, Readonly<Record<ClaimedTaskProgress, TakeoverRow>>>> = {
  'cluster.create': builds,
  'cluster.update': settles,
  'cluster.delete': removes,
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
};
