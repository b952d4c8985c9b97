import { milli } from '../milli.js';
import { positionOf } from '../shape-rules.js';
import { spreadConstraints } from '../spread.js';
import { compare, groupCandidates, nodeCandidates, type Candidate } from './candidates.js';
import { firstRefusals } from './first-refusals.js';
import type { Change, ExplainInput } from './model.js';
import { MOST_CHANGES, needsOf, type Needs } from './needs.js';
import { allowMissing, without } from './node-changes.js';

const SPREAD = positionOf('SPREAD_EXCEEDED');

/** The change with which the predecessor of the request goes first; undefined where it has none. */
export function predecessorGoes({ table, predecessor }: ExplainInput): Change | undefined {
  const view = predecessor && table.view(predecessor.nodeId);
  return view && allowMissing(view, predecessor);
}

/**
 * Returns the sequences of sets of changes with which the predecessor of the request goes first, and whatever else is needed then. Rules that
 * compare nodes can find any of them open without it, others only its own. The nodes from `there` on are the next ones of the groups.
 */
export function predecessorCandidates(input: ExplainInput, there: number): readonly Iterator<Candidate>[] {
  const { table, request, predecessor, groups = [] } = input;
  const view = predecessor && table.view(predecessor.nodeId);
  if (!view) return [];
  const goes = allowMissing(view, predecessor);
  const withGoing = ({ changes, lacksRoom }: Needs): Needs => ({ changes: [...changes, goes], lacksRoom });
  const isPossible = ({ changes, lacksRoom }: Needs): boolean => changes.length + (lacksRoom ? 2 : 1) <= MOST_CHANGES;
  const compares = (request.affinity ?? []).length > 0 || (request.spread ?? []).length > 0;
  table.set(without(view, predecessor.request));
  const needs = needsWithout(input, there);
  const own = table.views.findIndex(({ id }) => id === view.id);
  const found: { readonly node: number; readonly needed: Needs }[] = [];
  const grown: Candidate[] = [];
  for (let node = compares ? 0 : own; node < (compares ? table.size : own + 1); node += 1) {
    const needed = needs(node);
    const group = groups[node - there];
    if (needed === undefined || !isPossible(needed)) continue;
    if (group) grown.push(...groupCandidates(request, group, withGoing(needed)));
    else found.push({ node, needed: withGoing(needed) });
  }
  table.set(view);
  const { cpus, memoryMb } = predecessor.request;
  return [
    grown.sort(compare)[Symbol.iterator](),
    ...found.map(({ node, needed }) =>
      nodeCandidates(input, node, needed, node === own ? { cpuMilli: milli(cpus), memoryMb } : undefined),
    ),
  ];
}

/** What the request needs on the nodes of the table, in which the predecessor is gone. */
function needsWithout(input: ExplainInput, there: number): ReturnType<typeof needsOf> {
  const { table, request } = input;
  const spread = spreadConstraints(request, table);
  if (spread.length === 0) return needsOf(request, table, spread);
  const first = firstRefusals(input);
  for (let node = 0; node < there; node += 1)
    if ((first[node] ?? 0) >= SPREAD) for (const { observe, topology } of spread) observe(topology.of[node] ?? 0);
  return needsOf(request, table, spread);
}
