import { milli } from '../milli.js';
import type { PlacementRequest } from '../model.js';
import { PASSES } from '../refusal-counts.js';
import { positionOf } from '../shape-rules.js';
import { spreadConstraints } from '../spread.js';
import { firstRefusals } from './first-refusals.js';
import type { ExplainInput, GrowableGroup, Growth } from './model.js';

const SPREAD = positionOf('SPREAD_EXCEEDED');

/** Returns why each group did not grow for the request. */
export function growthOf(input: ExplainInput): readonly Growth[] {
  const { table, request, groups = [] } = input;
  if (groups.length === 0) return [];
  const there = table.size;
  for (const { node } of groups) table.set(node);
  const first = firstRefusals(input);
  const spread = spreadConstraints(request, table);
  for (let node = 0; spread.length > 0 && node < there; node += 1)
    if ((first[node] ?? 0) >= SPREAD) for (const { observe, topology } of spread) observe(topology.of[node] ?? 0);
  const growth = groups.map((group, at) => {
    const node = there + at;
    const refusing = first[node] ?? PASSES;
    // the other hypothetical nodes open domains that would stay closed: only spread can be stricter than for the node alone
    const isSpread = refusing !== SPREAD || spread.every(s => !s.wouldRefuse(s.topology.of[node] ?? 0));
    const fits = refusing === PASSES || (refusing === SPREAD && isSpread && isLargeEnough(group, request));
    return { nodeGroup: group.id, ...whyNot(group, fits) };
  });
  for (const { node } of [...groups].reverse()) table.delete(node.id);
  return growth;
}

const isLargeEnough = ({ node: { capacity, allocated } }: GrowableGroup, request: PlacementRequest): boolean =>
  milli(capacity.cpus) - milli(allocated.cpus) >= milli(request.cpus) &&
  capacity.memoryMb - allocated.memoryMb >= request.memoryMb;

function whyNot(group: GrowableGroup, fits: boolean): Pick<Growth, 'code' | 'sentence'> {
  const { name, count, maxCount = Infinity, isAutoscaled, blocked } = group;
  if (!fits) return { code: 'WOULD_NOT_FIT', sentence: `A new node of group ${name} could not take the request.` };
  if (blocked !== undefined) return blocked;
  if (!isAutoscaled) return { code: 'DISABLED', sentence: `Group ${name} is not scaled automatically.` };
  if (count >= maxCount) return { code: 'AT_MAX', sentence: `Group ${name} has ${count} nodes, its largest number.` };
  return { code: 'UPCOMING', sentence: `Group ${name} is about to get a node.` };
}
