import { apartConstraints, togetherConstraints } from './affinity.js';
import { bucketsBy, type Buckets } from './buckets.js';
import type { Filter } from './filters/index.js';
import { freeShare } from './free-share.js';
import { milli } from './milli.js';
import { FILTER_CODES, type FilterCode, type PlacementPolicy, type PlacementRequest } from './model.js';
import type { NodeTable } from './node-table.js';
import type { BoundedWeights } from './score-levels.js';
import { scorersOf, type Scorer } from './scorers.js';
import { sharePreferences } from './shares.js';
import { spreadConstraints, spreadPreferences, type Preference, type SpreadConstraint } from './spread.js';
import type { Constraint } from './topology.js';

/** Requests that differ only in their id, and what decides about them. */
export interface Shape {
  readonly shape: PlacementRequest;
  /** Names what the shape demands apart from resources. */
  readonly demands: string;
  /** At most so many are placed. */
  readonly count: number;
  readonly table: NodeTable;
  readonly filters: readonly Filter[];
  readonly policy: PlacementPolicy;
  readonly seed: number;
  /** Whether the remedy of a request without a node is wanted. */
  readonly explains: boolean;
}

const positions = new Map<FilterCode, number>(FILTER_CODES.map((code, at) => [code, at]));

/** Returns the place of the filter in the order of the filters. */
export const positionOf = (code: FilterCode): number => positions.get(code) ?? 0;

/** A test of one node that placements can change: only those on the node, unless the shape is scanned again after each. */
export interface NodeTest {
  readonly position: number;
  readonly refuses: (node: number) => boolean;
  readonly placed?: (node: number) => void;
}

/** What decides about a shape and can change with placements. */
export interface ShapeRules {
  /** In the order of the filters. */
  readonly tests: readonly NodeTest[];
  /** In the order of the filters. */
  readonly constraints: readonly Constraint[];
  readonly spread: readonly SpreadConstraint[];
  readonly preferences: readonly Preference[];
  readonly scorers: readonly Scorer[];
  readonly buckets: Buckets;
  /** Whether a placement can change what filters say about any node. */
  readonly scansAgain: boolean;
}

const byNode = ({ topology }: Constraint): boolean => topology.by === 'node';

function testOf({ code, topology, refuses, placed }: Constraint): NodeTest {
  const domain = (node: number): number => topology.of[node] ?? 0;
  return {
    position: positionOf(code),
    refuses: node => refuses(domain(node)),
    placed: node => placed(domain(node)),
  };
}

const CONSTRAINTS: ReadonlySet<FilterCode> = new Set([
  'AFFINITY',
  'ANTI_AFFINITY',
  'SPREAD_EXCEEDED',
  'INSUFFICIENT_ROOM',
]);

export function shapeRules({ shape, count, table, filters, policy, seed }: Shape): ShapeRules {
  const asked = new Set(filters.filter(filter => filter.applies(shape)).map(({ code }) => code));
  const apart = asked.has('ANTI_AFFINITY') ? apartConstraints(shape, table) : [];
  const spread = asked.has('SPREAD_EXCEEDED') ? spreadConstraints(shape, table) : [];
  const constraints = [
    ...(asked.has('AFFINITY') ? togetherConstraints(shape, table) : []),
    ...apart.filter(constraint => !byNode(constraint)),
    ...spread,
  ];
  const tests = filters
    .filter(({ code, isFixed }) => asked.has(code) && !isFixed && !CONSTRAINTS.has(code))
    .map((filter): NodeTest => ({ position: positionOf(filter.code), refuses: filter.refuses(shape, table) }));
  const preferences = [...sharePreferences(shape, table, count), ...spreadPreferences(shape, table)];
  const scorers = scorersOf(shape, table, policy, seed);
  const topologies = [...constraints, ...preferences, ...scorers.flatMap(({ domains }) => domains)];
  return {
    tests: [...tests, ...apart.filter(byNode).map(testOf)].sort((a, b) => a.position - b.position),
    constraints,
    spread,
    preferences,
    scorers,
    buckets: bucketsBy(
      topologies.map(({ topology }) => topology),
      table.size,
    ),
    scansAgain:
      (shape.volumes ?? []).some(({ scope, exclusive }) => scope === 'node' || exclusive === true) ||
      (shape.network?.ipv4 !== undefined && shape.network.scope === 'cluster'),
  };
}

/** Returns the weights of the usual scorers of a container that is alone; undefined where others count, too. */
function usualWeights(scorers: readonly Scorer[], shape: PlacementRequest): BoundedWeights | undefined {
  const isUsual = scorers.every(({ name }) => ['leastCpu', 'leastMemory', 'spread'].includes(name));
  if (!isUsual || shape.setId !== undefined) return undefined;
  const shareOf = (wanted: string): number => scorers.find(({ name }) => name === wanted)?.share ?? 0;
  return { cpu: shareOf('leastCpu'), memory: shareOf('leastMemory'), half: shareOf('spread') / 2 };
}

/** Returns the function that adds up what the scorers say about a node itself. The usual scorers are one function, which is faster. */
export function localScore({ scorers }: ShapeRules, { shape, table }: Shape): (node: number) => number {
  const usual = usualWeights(scorers, shape);
  if (usual === undefined) {
    const locals = scorers.flatMap(({ local, share }) => (local ? [{ local, share }] : []));
    return node => {
      let sum = 0;
      for (const { local, share } of locals) sum += share * local(node);
      return sum;
    };
  }
  const { cpu, memory, half } = usual;
  const { freeMilli, freeMemory, capMilli, capMemory, containers } = table;
  const wantedMilli = milli(shape.cpus);
  const wantedMemory = shape.memoryMb;
  return node =>
    cpu * freeShare(freeMilli[node], wantedMilli, capMilli[node]) +
    memory * freeShare(freeMemory[node], wantedMemory, capMemory[node]) +
    half / (1 + (containers[node] ?? 0));
}

/** More than the rounding of scores and of their upper bounds differs. */
const ROUNDING = 2 ** -28;

/** An upper bound of {@link localScore} for nodes with room for the request, without a division. */
export interface ScoreCeiling {
  readonly weights: BoundedWeights;
  /** What the request takes from the score of any node at least: the share of the largest capacity. */
  readonly taken: number;
  readonly of: (node: number) => number;
}

/** Returns what shows cheaply that most nodes are worse than those that are kept. Undefined where other scorers than the usual ones count. */
export function scoreCeiling({ scorers }: ShapeRules, { shape, table: { ceilings } }: Shape): ScoreCeiling | undefined {
  const weights = usualWeights(scorers, shape);
  if (weights === undefined) return undefined;
  const { maxCapMilli, maxCapMemory } = ceilings;
  const taken =
    weights.cpu * (maxCapMilli > 0 ? milli(shape.cpus) / maxCapMilli : 0) +
    weights.memory * (maxCapMemory > 0 ? shape.memoryMb / maxCapMemory : 0) -
    ROUNDING;
  const bound = ceilings.of(weights);
  return { weights, taken, of: node => bound(node) - taken };
}
