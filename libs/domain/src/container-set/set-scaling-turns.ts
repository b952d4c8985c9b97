import type { DesiredChange } from '../autoscaling/contention.js';
import { instantMs } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';

/** A change of the desired number of members. */
export interface SetScalingChange {
  readonly at: string;
  readonly from: number;
  readonly to: number;
  /** The name of who asked for it; absent for the autoscaler. */
  readonly by?: string;
}

/** The autoscaler and others who change the desired number in turns. */
export interface SetScalingTurns {
  /** The first change of each turn, in order of time. */
  readonly firsts: readonly DesiredChange[];
  /** When somebody else than the autoscaler last changed the number. */
  readonly resizedAt?: string;
  /** The name of who did. */
  readonly resizedBy?: string;
  readonly last?: SetScalingChange;
}

/** The alternations that the autoscaler looks for have one turn more. */
const KEPT = 4;
/** Events of earlier releases, and those of aborted removals, name nobody. */
export const SOMEBODY = 'somebody';

export const noTurns: SetScalingTurns = { firsts: [] };

/** Returns the turns after a change. */
export function withScalingChange(turns: SetScalingTurns, change: SetScalingChange): SetScalingTurns {
  const { at, by } = change;
  const before = turns.firsts.at(-1);
  const isTurn = before === undefined || (before.actor === undefined) !== (by === undefined);
  const first = { at: instantMs(at), ...omitUndefined({ actor: by }) };
  const firsts = isTurn ? [...turns.firsts, first].slice(-KEPT) : turns.firsts;
  const { resizedAt, resizedBy } = by === undefined ? turns : { resizedAt: at, resizedBy: by };
  return { firsts, last: change, ...omitUndefined({ resizedAt, resizedBy }) };
}
