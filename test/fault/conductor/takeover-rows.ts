import { takeoverOfTask, type ClaimedTaskProgress } from '@stave/domain/testing';
import type { TaskKind } from '@stave/driver-sdk';
import type { GatedCall, RuleOptions } from './gate-rule.js';

/** Much longer than the session timeout. */
const LEAST_BUILD_MS = 15_000;
/** Shorter than the session timeout: the change takes effect before the session ends. */
const CHANGE_MS = 800;

/** The kind of change that a task makes to a unit. */
type Family = 'build' | 'remove' | 'act' | 'engine';

export interface TaskRow {
  readonly kind: TaskKind;
  readonly reached: ClaimedTaskProgress;
}

/** Every row of the takeover table of claimed tasks. */
export const taskRows: readonly TaskRow[] = kindsOf(takeoverOfTask).flatMap(kind =>
  kindsOf(takeoverOfTask[kind]).map(reached => ({ kind, reached })),
);

/** Returns for how long a unit is built that must not be complete when another conductor, which takes `startMs` to start, takes the task over. */
export const buildTime = (startMs: number): number => Math.ceil(Math.max(LEAST_BUILD_MS, 5 * startMs));

/** Returns the rule that holds the call during which the conductor is killed. */
export function ruleOf({ kind, reached }: TaskRow, buildMs: number, resourceId?: string): RuleOptions {
  const family = familyOf(kind);
  const call: GatedCall['call'] = family === 'build' ? 'create' : family;
  const rule = { operation: kind, call, ...(resourceId === undefined ? {} : { resourceId }) };
  if (reached === 'not-started') return { ...rule, stop: { at: 'request' } };
  if (reached === 'done') return { ...rule, stop: { at: 'reply' } };
  const latencyMs = family === 'build' ? buildMs : CHANGE_MS;
  // the first create call of a rebuild only reports the obstacles
  return { ...rule, stop: { at: 'slow', latencyMs }, skip: kind === 'node.rebuild' ? 1 : 0 };
}

/** Returns the changes that the row expects: those of the victim, then those of its successor. */
export function changesOf({ kind, reached }: TaskRow): readonly string[] {
  const family = familyOf(kind);
  const effect = family === 'build' ? 'created' : family === 'remove' ? 'removed' : actOf(kind);
  // questions about an engine change nothing, and the removal of the node has left nothing to clean
  if (family === 'engine') return [];
  if (reached === 'not-started') return [`successor ${effect}`];
  if (family === 'build') return ['victim created', `successor ${reached === 'done' ? 'adopted' : 'finished'}`];
  return family === 'remove' ? ['victim removed'] : [`victim ${effect}`, `successor ${effect}`];
}

// the last change of a rebuild of a cluster is that of its own unit
const actOf = (kind: TaskKind): string => (kind === 'cluster.rebuild' ? 'update' : (kind.split('.')[1] ?? ''));

/** Returns `<type>/<id>`, for example `node/<id>`. */
export function resourceName(kind: string, id: string): string {
  return `${kind.split('.')[0] ?? ''}/${id}`;
}

function familyOf(kind: TaskKind): Family {
  if (kind.startsWith('machine.')) return 'engine';
  if (kind.endsWith('.create') || kind === 'node.rebuild') return 'build';
  return kind.endsWith('.delete') ? 'remove' : 'act';
}

/** Returns the keys of a record with their type. */
export function kindsOf<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(record) as K[];
}
