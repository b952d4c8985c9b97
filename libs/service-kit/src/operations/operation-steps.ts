import { omitUndefined } from '@stave/domain';
import { decodeCursor, encodeCursor, listKey, badCursor } from '../read-models/list-cursor.js';
import type { OperationStep } from './operation-step.js';

export interface StepsQuery {
  readonly id: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: readonly string[];
}

export interface StepsPage {
  readonly items: readonly OperationStep[];
  readonly nextCursor: string | null;
}

/**
 * Returns a page of the steps with one of the statuses, in the order of their first attempts. Steps are only added at the end, so that a
 * page shows each step once, whatever happens between two pages. Throws RefusedError `invalid-cursor`.
 */
export function stepsPage(steps: readonly OperationStep[], { id, limit, cursor, status }: StepsQuery): StepsPage {
  const key = listKey(`steps of ${id}`, [], omitUndefined({ status: status?.join() }));
  const items: OperationStep[] = [];
  for (let at = startOf(key, cursor); at < steps.length; at++) {
    const step = steps[at];
    if (!step || (status && !status.includes(step.status))) continue;
    if (items.length === limit) return { items, nextCursor: encodeCursor(key, [at]) };
    items.push(step);
  }
  return { items, nextCursor: null };
}

function startOf(key: string, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [at] = decodeCursor(cursor, key, 1);
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0) throw badCursor();
  return at;
}
