import type { PlanDocument } from '@stave/client';
import { inline, memberOf, printable } from '../output/values.js';
import { tableLines } from '../output/table.js';

type Step = PlanDocument['steps'][number];

const signs: Readonly<Record<string, string>> = { create: '+', keep: '=', change: '~', replace: '±', remove: '-' };
const past: Readonly<Record<string, string>> = {
  create: 'created',
  change: 'changed',
  replace: 'replaced',
  remove: 'removed',
  keep: 'kept',
};

/** Members that a change always has, and that say nothing about it. */
const accompanying = new Set(['/revision', '/status', '/updatedAt', '/generation']);

function stepRow({ action, resource, ...rest }: Step): string[] {
  const more = rest as { readonly reason?: string; readonly by?: string };
  const name = printable(resource.name ?? resource.id ?? resource.type);
  return [
    `${signs[action] ?? '?'} ${name}${more.by === undefined ? '' : ` → ${printable(more.by)}`}`,
    resource.type,
    printable(more.reason ?? ''),
  ];
}

/** How many of each step, in words: `2 replaced, 1 created`. */
function totals(steps: readonly Step[]): string {
  const counts = new Map<string, number>();
  for (const { action } of steps) counts.set(action, (counts.get(action) ?? 0) + 1);
  const words = [...counts]
    .filter(([action]) => action !== 'keep')
    .map(([action, count]) => `${count} ${past[action] ?? action}`);
  return words.length === 0 ? 'Nothing on the infrastructure changes.' : `${words.join(', ')}.`;
}

/** Whether the plan would change anything. */
export const hasChanges = ({ events }: PlanDocument): boolean => events.length > 0;

/** The lines of a plan: differences of members, then the steps, then their number. Kept resources are counted, not listed. */
export function planLines({ diff, steps, events }: PlanDocument, columns?: number): string[] {
  if (events.length === 0) return ['No changes.'];
  const members = diff
    .filter(({ pointer, from, to }) => !accompanying.has(pointer) && inline(from) !== inline(to))
    .map(({ pointer, from, to }) => [`~ ${printable(memberOf(pointer)) || 'all'}`, `${inline(from)} → ${inline(to)}`]);
  const shown = steps.filter(({ action }) => action !== 'keep');
  const kept = steps.length - shown.length;
  return [
    ...tableLines(members, columns),
    ...tableLines(shown.map(stepRow), columns),
    `${totals(steps)}${kept > 0 ? ` ${kept} kept.` : ''}`,
  ];
}
