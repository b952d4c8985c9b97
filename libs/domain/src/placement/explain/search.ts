import type { PlacementRequest } from '../model.js';
import { spreadConstraints } from '../spread.js';
import {
  candidate,
  compare,
  groupCandidates,
  LEAST_WITH_LESS,
  leastCost,
  MOST_MOVES,
  MOST_TRIED_WITH_LESS,
  nodeCandidates,
  type Candidate,
} from './candidates.js';
import type { Change, ExplainInput, Explanation, RemedyAction, VerifiedRemedy } from './model.js';
import { Frontier } from './frontier.js';
import { MOST_CHANGES, needsOf } from './needs.js';
import { growBy, uncordon } from './node-changes.js';
import { predecessorCandidates, predecessorGoes } from './predecessor.js';
import { dropSpread } from './request-changes.js';
import { SearchTime } from './search-time.js';
import { simulate } from './simulate.js';

const MOST_REMEDIES = 3;
const MOST_SIMULATIONS = 5000;
/** The cost of the cheapest move that is not tried. */
const UNTRIED_COST = 4 + MOST_MOVES + 1;

interface Candidates {
  readonly frontier: Frontier;
  /** Changes that make room for what is moved: nodes are opened, groups grow, or the predecessor goes. */
  readonly openings: readonly (readonly Change[])[];
  /** Returns the least cost of what is not tried: of moving more containers somewhere, or others; Infinity where all is tried, 0 without time. */
  readonly untried: () => number;
  /** Whether there was no time to examine all nodes. */
  readonly isCut: boolean;
}

type NeedsOn = ReturnType<typeof needsOf>;

function needsNow({ request, table }: ExplainInput, isOpen: (node: number) => boolean, there: number): NeedsOn {
  const spread = spreadConstraints(request, table);
  for (let node = 0; spread.length > 0 && node < there; node += 1)
    if (isOpen(node)) for (const { observe, topology } of spread) observe(topology.of[node] ?? 0);
  return needsOf(request, table, spread);
}

/**
 * Returns every set of changes that gives a node, there or hypothetical, what it needs; the first one first, some more than once. Groups are
 * examined before nodes, since there are fewer of them, and nodes while there is time.
 */
function candidates(input: ExplainInput, isOpen: (node: number) => boolean, time: SearchTime): Candidates {
  const { table, request, groups = [], movableOn, moveContainer } = input;
  const there = table.size;
  for (const { node } of groups) table.set(node);
  const needs = needsNow(input, isOpen, there);
  const frontier = new Frontier(time.forNode);
  for (const sequence of predecessorCandidates(input, there)) frontier.add(sequence);
  const openings: (readonly Change[])[] = groups.flatMap(group => [growBy(group) ?? []]);
  const goes = predecessorGoes(input);
  if (goes) openings.push([goes]);
  const grown = groups.flatMap((group, at) => {
    const needed = needs(there + at);
    return needed ? groupCandidates(request, group, needed) : [];
  });
  frontier.add(grown.sort(compare)[Symbol.iterator]());
  const full: string[] = [];
  let node = 0;
  for (; node < there && time.forNode(); node += 1) {
    const view = table.views[node];
    if (view === undefined) continue;
    if (!view.schedulable && view.ready) openings.push([uncordon(view)]);
    const needed = needs(node);
    if (needed === undefined) continue;
    frontier.addLater(nodeCandidates(input, node, needed), leastCost(input, node, needed));
    if (needed.lacksRoom) full.push(view.id);
  }
  for (const { node: view } of [...groups].reverse()) table.delete(view.id);
  const untried = (): number => {
    if (moveContainer === undefined) return Infinity;
    let most = 0;
    for (const id of full) {
      if (!time.forNode()) return 0;
      most = Math.max(most, movableOn?.(id).length ?? 0);
    }
    if (most <= MOST_MOVES) return Infinity;
    return most > MOST_TRIED_WITH_LESS ? LEAST_WITH_LESS : UNTRIED_COST;
  };
  return { frontier, openings: openings.filter(list => list.length > 0), untried, isCut: node < there };
}

/**
 * Returns the smallest sets of at most three changes after which the request has a node, each shown by a simulation. `isOpen`: whether a node
 * passes all filters but spread, ports and resources now.
 */
export function searchRemedies(
  input: ExplainInput,
  isOpen: (node: number) => boolean,
): Pick<Explanation, 'remedies' | 'search'> {
  const time = new SearchTime(input.hasTime ?? (() => true), input.table.size);
  const { frontier, openings, untried, ...listed } = candidates(input, isOpen, time);
  const spreadDrops = dropsOfSpread(input.request);
  const remedies: VerifiedRemedy[] = [];
  const sets: (readonly Change[])[] = [];
  const seen = new Set<string>();
  let { isCut } = listed;
  let simulated = 0;
  for (let next = frontier.next(); next !== undefined; next = frontier.next()) {
    const { changes, cost, key } = next;
    if (seen.has(key) || sets.some(found => found.every(({ id }) => changes.some(change => change.id === id))))
      continue;
    seen.add(key);
    const actions = actionsOf(input, changes);
    if (actions === undefined) continue;
    isCut ||= simulated >= MOST_SIMULATIONS || !time.forSimulation();
    if (isCut) break;
    simulated += 1;
    const result = simulate(input, changes);
    if (result === undefined || result === 'ahead') {
      const needsMore = result === 'ahead' || changes.some(({ moves }) => moves !== undefined);
      frontier.add(extended(changes, needsMore ? [...spreadDrops, ...openings] : spreadDrops));
      if (result === 'ahead') frontier.add(enlarged(changes));
      continue;
    }
    sets.push(changes);
    remedies.push(remedyOf(input, changes, { actions, cost, ...result }));
    if (remedies.length === MOST_REMEDIES) break;
  }
  isCut ||= frontier.isCut;
  const last = remedies.at(-1)?.cost ?? Infinity;
  const isComplete = !isCut && (last <= LEAST_WITH_LESS || last <= untried());
  return { remedies, search: { candidates: simulated, complete: isComplete } };
}

const dropsOfSpread = ({ spread = [] }: PlacementRequest): readonly (readonly Change[])[] =>
  spread.flatMap((rule, at) => (rule.mode === 'soft' ? [] : [[dropSpread(rule, at)]]));

/** What filters do not show before a simulation: a change exceeds a spread, or what is moved finds no node. */
function extended(changes: readonly Change[], more: readonly (readonly Change[])[]): Iterator<Candidate> {
  return more
    .filter(list => changes.length + list.length <= MOST_CHANGES)
    .filter(list => !list.some(({ id }) => changes.some(change => change.id === id)))
    .map(list => candidate([...changes, ...list]))
    .sort(compare)
    [Symbol.iterator]();
}

/** More of what is there already: for what waits longer. */
function enlarged(changes: readonly Change[]): Iterator<Candidate> {
  const larger = changes.flatMap(({ more }) => more?.() ?? []);
  // the maximum of a group is raised for its present growth
  const kept = changes.filter(({ more, id }) => more === undefined && !id.startsWith('raise '));
  const all = [...kept, ...larger];
  return (larger.length === 0 || all.length > MOST_CHANGES ? [] : [candidate(all)])[Symbol.iterator]();
}

/** The actions of the changes; those of the request are one. Undefined when the API cannot do it. */
function actionsOf(
  { request, changeRequest }: ExplainInput,
  changes: readonly Change[],
): readonly RemedyAction[] | undefined {
  const others = changes.flatMap(({ actions = [] }) => actions);
  const own = changes.filter(({ request: change, actions }) => change !== undefined && actions === undefined);
  if (own.length === 0) return others;
  const changed = changeRequest?.(own.reduce((asked, { request: change }) => change?.(asked) ?? asked, request));
  return changed === undefined ? undefined : [...others, ...changed];
}

function remedyOf(
  { groups = [] }: ExplainInput,
  changes: readonly Change[],
  { actions, cost, nodeId, places }: Pick<VerifiedRemedy, 'actions' | 'cost' | 'places'> & { readonly nodeId: string },
): VerifiedRemedy {
  const text = changes.map(({ sentence }) => sentence).join(' and ');
  const isNew = groups.some(({ node }) => node.id === nodeId);
  return {
    actions,
    codes: [...new Set(changes.map(({ code }) => code))],
    cost,
    verified: true,
    ...(!isNew && { nodeId }),
    places,
    sentence: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
  };
}
