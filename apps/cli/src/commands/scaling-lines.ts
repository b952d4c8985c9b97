import type { components } from '@stave/client';
import { tableLines } from '../output/table.js';
import { ageOf, printable } from '../output/values.js';

type Schemas = components['schemas'];
/** How a container set follows its load now. */
export type SetAutoscaling = Schemas['ContainerSetAutoscaling'];
/** How a node group follows what waits now. */
export type GroupAutoscaling = Schemas['NodeGroupAutoscalingNow'];
/** Why the number of members of a set does not change in a direction. */
export type ScalingBlock = NonNullable<Schemas['Explanation']['scaling']>[number];

/** The least and the most members of a set; without `max` there is no most. */
export interface Bounds {
  readonly min: number;
  readonly max?: number;
}
type Row = readonly [string, string];

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const within = (min: number, max: number | undefined): string =>
  max === undefined ? `at least ${min}` : `between ${min} and ${max}`;

const keepsSize = (size: string, noun: string): string =>
  `It keeps its size of ${size}, since it is not scaled automatically. \`stave ${noun} resize\` changes it.`;

const optional = (title: string, value: string | undefined): readonly Row[] =>
  value === undefined ? [] : [[title, value]];

function lastChange({ lastChange: last }: SetAutoscaling, now: number): string | undefined {
  if (!last) return undefined;
  const { at, from, to, by } = last;
  return `from ${from} to ${to}, ${ageOf(at, now)} ago, by ${by === undefined ? 'the autoscaler' : printable(by)}`;
}

/** A line for each reason, with the directions in which it holds. Without autoscaling the size is explained already. */
function blockLines(blocks: readonly ScalingBlock[]): string[] {
  const byReason = new Map<string, { readonly block: ScalingBlock; readonly directions: string[] }>();
  for (const block of blocks.filter(({ code }) => code !== 'DISABLED')) {
    const key = `${block.code} ${block.sentence}`;
    const known = byReason.get(key) ?? { block, directions: [] };
    known.directions.push(block.direction);
    byReason.set(key, known);
  }
  if (byReason.size === 0) return [];
  const rows = [...byReason.values()].map(({ block, directions }) => [
    `  ${directions.join(' and ')}`,
    printable(block.sentence),
    block.code,
  ]);
  return ['What keeps the number', ...tableLines(rows)];
}

/** Says why a container set has its number of members, and what keeps it. `now`: milliseconds. */
export function setScalingLines(
  autoscaling: SetAutoscaling,
  { min, max }: Bounds,
  blocks: readonly ScalingBlock[],
  now: number,
): string[] {
  const { state, reason, desired, recommended, heldUntil, contendedBy } = autoscaling;
  const changed = lastChange(autoscaling, now);
  if (state === 'disabled')
    return [
      keepsSize(counted(desired, 'member'), 'container-sets'),
      ...tableLines(optional('Last change', changed)),
      ...blockLines(blocks),
    ];
  const rows: readonly Row[] = [
    ['Desired', `${counted(desired, 'member')}, ${within(min, max)}`],
    ['Recommended', recommended === null ? 'unknown' : counted(recommended, 'member')],
    ['Autoscaler', `${state}: ${printable(reason)}`],
    ...optional('Held until', heldUntil),
    ...optional('Contended by', contendedBy && printable(contendedBy)),
    ['Last change', changed ?? 'none'],
  ];
  return [...tableLines(rows), ...blockLines(blocks)];
}

function proposed({ proposal }: GroupAutoscaling): string | undefined {
  if (!proposal) return undefined;
  const { nodes, nodeIds } = proposal;
  return nodes === undefined ? `${counted(nodeIds?.length ?? 0, 'node')} fewer` : `${counted(nodes, 'node')} more`;
}

/** Says why a node group has its number of nodes. `now`: milliseconds. */
export function groupScalingLines(autoscaling: GroupAutoscaling, now: number): string[] {
  const { state, count, minCount, maxCount, upcoming, heldUntil, backoff, lastRefusal } = autoscaling;
  if (state === 'disabled') return [keepsSize(counted(count, 'node'), 'node-groups')];
  return tableLines([
    ['Desired', `${counted(count, 'node')}, ${within(minCount, maxCount)}`],
    ['Autoscaler', state],
    ...optional('Proposed', proposed(autoscaling)),
    ...optional('Upcoming', upcoming === 0 ? undefined : counted(upcoming, 'node')),
    ...optional('Held until', heldUntil),
    ...optional('Rests until', backoff && !backoff.isOver ? backoff.until : undefined),
    ...optional('Last refusal', lastRefusal ? `${lastRefusal.code}, ${ageOf(lastRefusal.at, now)} ago` : undefined),
  ]);
}
