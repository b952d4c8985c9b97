import { milli } from '../milli.js';
import type { NodeView, PlacementRequest } from '../model.js';
import type { Change, ExplainInput, GrowableGroup } from './model.js';
import { MOST_CHANGES, type Needs } from './needs.js';
import { growBy, moveFrom } from './node-changes.js';
import { lostShare, lowerCost, lowerTo } from './request-changes.js';

/** At most so many containers are moved for one request. */
export const MOST_MOVES = 3;

/** A set of changes that would give the request a node, as far as filters show. */
export interface Candidate {
  readonly changes: readonly Change[];
  readonly cost: number;
  /** The same for the same set. */
  readonly key: string;
  readonly codes: string;
}

const costOf = (changes: readonly Change[]): number => changes.reduce((sum, change) => sum + change.cost, 0);

export function candidate(changes: readonly Change[]): Candidate {
  const [first] = changes;
  // most sets have one change
  if (first !== undefined && changes.length === 1)
    return { changes, cost: first.cost, key: first.id, codes: first.code };
  return {
    changes,
    cost: costOf(changes),
    key: changes
      .map(({ id }) => id)
      .sort()
      .join('; '),
    codes: changes
      .map(({ code }) => code)
      .sort()
      .join(),
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order of the search: by cost, number of changes, codes and ids. */
export const compare = (a: Candidate, b: Candidate): number =>
  a.cost - b.cost || a.changes.length - b.changes.length || compareText(a.codes, b.codes) || compareText(a.key, b.key);

interface Free {
  readonly cpuMilli: number;
  readonly memoryMb: number;
}

/** The cost of moving no container; each one adds 1. */
const MOVING = 4;

/** Returns what no set of changes for the node can cost less than. */
export function leastCost({ table, request }: ExplainInput, node: number, { changes, lacksRoom }: Needs): number {
  if (!lacksRoom) return costOf(changes);
  const share = lostShare(request, (table.freeMilli[node] ?? 0) / 1000, table.freeMemory[node] ?? 0);
  return costOf(changes) + Math.min(MOVING + 1, lowerCost(share));
}

const NOTHING: Free = { cpuMilli: 0, memoryMb: 0 };

/** Yields the sets of changes for a node, the first one first. `freed`: what the changes free there. */
export function* nodeCandidates(
  input: ExplainInput,
  node: number,
  { changes, lacksRoom }: Needs,
  freed = NOTHING,
): Generator<Candidate> {
  const { table, request, movableOn, moveContainer, ahead = [] } = input;
  const view = table.views[node];
  if (view === undefined) return;
  if (!lacksRoom) {
    if (changes.length > 0) yield candidate(changes);
    return;
  }
  const free = {
    cpuMilli: (table.freeMilli[node] ?? 0) + freed.cpuMilli,
    memoryMb: (table.freeMemory[node] ?? 0) + freed.memoryMb,
  };
  const lowered = lowering(request, free);
  let movable: readonly PlacementRequest[] | undefined;
  let freeable: Freeable | undefined;
  let sorted: readonly PlacementRequest[] | undefined;
  let waiting = lowered && candidate([...changes, lowered]);
  for (let size = 1; size <= MOST_MOVES && moveContainer !== undefined; size += 1) {
    // what is cheaper than every move of this size comes before they are looked for
    if (waiting !== undefined && waiting.cost <= costOf(changes) + MOVING + size) {
      yield waiting;
      waiting = undefined;
    }
    movable ??= movableFor(request, movableOn?.(view.id) ?? []);
    freeable ??= freeableBy(movable);
    if (!canFree(request, free, freeable, size)) continue;
    // most nodes do not come so far
    sorted ??= [...movable].sort((one, other) => compareText(one.id, other.id));
    for (const moves of choose(sorted, size, 0)) {
      const actions = frees(request, free, moves) ? moves.map(({ id }) => moveContainer(id)) : [];
      const possible = actions.filter(action => action !== undefined);
      if (possible.length === size) yield candidate([...changes, moveFrom(view, moves, possible)]);
    }
  }
  if (waiting !== undefined) yield waiting;
  // where less is enough alone, moving as well costs more, unless what waits longer takes the room
  const isOnlyByBoth = lowered === undefined || ahead.length > 0;
  if (isOnlyByBoth && changes.length + 2 <= MOST_CHANGES) yield* byBoth(input, view, changes, free);
}

/** At most so many containers of a node are tried for a move together with a smaller request. */
export const MOST_TRIED_WITH_LESS = 24;
/** No set that moves containers and lowers the request costs less. */
export const LEAST_WITH_LESS = MOVING + 1 + lowerCost(0);

/** Returns the sets that make room by moving containers and by asking for less, in order: each costs more than any set that does one of both. */
function byBoth(
  { request, movableOn, moveContainer }: ExplainInput,
  view: NodeView,
  changes: readonly Change[],
  free: Free,
): readonly Candidate[] {
  if (moveContainer === undefined) return [];
  const movable = movableFor(request, movableOn?.(view.id) ?? []);
  const sorted = [...movable].sort((one, other) => compareText(one.id, other.id)).slice(0, MOST_TRIED_WITH_LESS);
  const found: Candidate[] = [];
  for (let size = 1; size <= Math.min(MOST_MOVES, sorted.length); size += 1)
    for (const moves of choose(sorted, size, 0)) {
      const lowered = frees(request, free, moves) ? undefined : lowering(request, freeAfter(free, moves));
      const actions = lowered ? moves.map(({ id }) => moveContainer(id)) : [];
      const possible = actions.filter(action => action !== undefined);
      if (lowered && possible.length === size)
        found.push(candidate([...changes, moveFrom(view, moves, possible), lowered]));
    }
  return found.sort(compare);
}

const freeAfter = ({ cpuMilli, memoryMb }: Free, moves: readonly PlacementRequest[]): Free => ({
  cpuMilli: moves.reduce((sum, { cpus }) => sum + milli(cpus), cpuMilli),
  memoryMb: moves.reduce((sum, move) => sum + move.memoryMb, memoryMb),
});

function lowering(request: PlacementRequest, { cpuMilli, memoryMb }: Free): Change | undefined {
  const isNothing = (wanted: number, left: number): boolean => wanted > 0 && left <= 0;
  if (isNothing(request.cpus, cpuMilli) || isNothing(request.memoryMb, memoryMb)) return undefined;
  return lowerTo(request, cpuMilli / 1000, memoryMb);
}

const frees = (request: PlacementRequest, free: Free, moves: readonly PlacementRequest[]): boolean =>
  freeAfter(free, moves).cpuMilli >= milli(request.cpus) && freeAfter(free, moves).memoryMb >= request.memoryMb;

/** Returns the containers that may be moved for the request: members of its own set would change its rules. */
const movableFor = ({ setId }: PlacementRequest, all: readonly PlacementRequest[]): readonly PlacementRequest[] =>
  setId === undefined ? all : all.filter(other => other.setId !== setId);

/** What moving one, two or three of the containers frees at most, if the largest in CPUs were the largest in memory. */
type Freeable = readonly Free[];

function freeableBy(movable: readonly PlacementRequest[]): Freeable {
  const [cpu, memory] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const { cpus, memoryMb } of movable) {
    insertLargest(cpu, milli(cpus));
    insertLargest(memory, memoryMb);
  }
  const sumOf = ([first = 0, second = 0, third = 0]: readonly number[], few: number): number =>
    first + (few > 1 ? second : 0) + (few > 2 ? third : 0);
  return [1, 2, 3].map(few => ({ cpuMilli: sumOf(cpu, few), memoryMb: sumOf(memory, few) }));
}

/** Keeps the three largest, the largest first. */
function insertLargest(largest: number[], value: number): void {
  const [first = 0, second = 0, third = 0] = largest;
  if (value > first) [largest[0], largest[1], largest[2]] = [value, first, second];
  else if (value > second) [largest[1], largest[2]] = [value, second];
  else if (value > third) largest[2] = value;
}

const canFree = (request: PlacementRequest, free: Free, freeable: Freeable, size: number): boolean =>
  free.cpuMilli + (freeable[size - 1]?.cpuMilli ?? 0) >= milli(request.cpus) &&
  free.memoryMb + (freeable[size - 1]?.memoryMb ?? 0) >= request.memoryMb;

function* choose(
  sorted: readonly PlacementRequest[],
  size: number,
  from: number,
): Generator<readonly PlacementRequest[]> {
  if (size === 0) return yield [];
  for (let at = from; at <= sorted.length - size; at += 1) {
    const first = sorted[at];
    if (first === undefined) return;
    for (const rest of choose(sorted, size - 1, at + 1)) yield [first, ...rest];
  }
}

/** Returns the sets of changes that let the group grow by its next node, which needs these changes itself. */
export function groupCandidates(
  request: PlacementRequest,
  group: GrowableGroup,
  { changes, lacksRoom }: Needs,
): readonly Candidate[] {
  const grown = growBy(group);
  const { capacity, allocated } = group.node;
  const empty = {
    cpuMilli: milli(capacity.cpus) - milli(allocated.cpus),
    memoryMb: capacity.memoryMb - allocated.memoryMb,
  };
  const lowered = lacksRoom ? lowering(request, empty) : undefined;
  if (grown === undefined || (lacksRoom && lowered === undefined)) return [];
  const all = [...changes, ...(lowered ? [lowered] : []), ...grown];
  return all.length > MOST_CHANGES ? [] : [candidate(all)];
}
