import { DocumentFilter } from '../document-store.port.js';
import { isFilter, isScalar, operatorsOf } from './filter-matcher.js';
import { compareValues } from './value-order.js';

/** The values that a match may have at one path: points, or an interval with its ends, open where undefined. */
export type Bound =
  | { readonly kind: 'points'; readonly points: readonly unknown[] }
  /** `ofOneElement`: one element of an array lies within both ends. Otherwise the ends may hold for different ones. */
  | { readonly kind: 'interval'; readonly low?: unknown; readonly high?: unknown; readonly ofOneElement?: true };

export interface FilterBounds {
  readonly byPath: ReadonlyMap<string, Bound>;
  /** Whether the bounds say all that the filter says. Otherwise they are wider, and candidates are tested. */
  readonly exact: boolean;
}

const MAX_POINTS = 1000;
/** A prefix without characters that have a meaning in an expression. */
const PLAIN_PREFIX = /^\^[A-Za-z0-9=_]+$/;

/** Returns what a filter says about single paths, for a search by an index. */
export function boundsOf(filter: DocumentFilter): FilterBounds {
  const byPath = new Map<string, Bound>();
  let exact = true;
  const add = (path: string, bound: Bound): void => {
    const known = byPath.get(path);
    if (known) exact = false;
    byPath.set(path, known ? narrower(known, bound) : bound);
  };
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || key === '$or') {
      const branches = Array.isArray(condition) ? condition.filter(isFilter).map(boundsOf) : [];
      exact &&= key === '$and' && branches.every(branch => branch.exact);
      const known = key === '$and' ? branches.map(branch => branch.byPath) : [eitherOf(branches)];
      for (const bounds of known) bounds.forEach((bound, path) => add(path, bound));
      continue;
    }
    const operators = new Map(operatorsOf(condition));
    const bound = boundOf(operators);
    const isExact =
      bound?.kind === 'points' ? bound.points.every(isScalar) : PLAIN_PREFIX.test(String(operators.get('$regex')));
    exact &&= isExact && operators.size === 1;
    if (bound) add(key, bound);
  }
  return { byPath, exact };
}

function boundOf(operators: ReadonlyMap<string, unknown>): Bound | undefined {
  if (operators.has('$eq')) return pointsOf([operators.get('$eq')]);
  const list = operators.get('$in');
  if (Array.isArray(list)) return pointsOf(list);
  if (operators.get('$exists') === false) return pointsOf([null]);
  const expression = operators.get('$regex');
  if (typeof expression === 'string') return prefixOf(expression);
  const low = operators.get('$gt') ?? operators.get('$gte');
  const high = operators.get('$lt') ?? operators.get('$lte');
  return isScalar(low) || isScalar(high) ? { kind: 'interval', low, high } : undefined;
}

function pointsOf(values: readonly unknown[]): Bound | undefined {
  if (values.length > MAX_POINTS || !values.every(value => value === null || isScalar(value))) return undefined;
  return { kind: 'points', points: [...new Set(values)].sort(compareValues) };
}

/** Returns the texts that begin as every match of an anchored expression does. */
function prefixOf(expression: string): Bound | undefined {
  const found = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[^A-Za-z0-9])+)/.exec(expression);
  if (found?.[1] === undefined || expression.includes('|')) return undefined;
  const quantified = /^[*?{+]/.test(expression.slice(found[0].length));
  const text = found[1].replace(/\\(.)/g, '$1');
  const prefix = quantified ? text.slice(0, -1) : text;
  return prefix ? { kind: 'interval', low: prefix, high: `${prefix}\uffff`, ofOneElement: true } : undefined;
}

/** Returns the bounds that hold when any one of several filters does. */
function eitherOf(branches: readonly FilterBounds[]): ReadonlyMap<string, Bound> {
  const [first, ...others] = branches.map(branch => branch.byPath);
  const result = new Map<string, Bound>();
  for (const [path, bound] of first ?? []) {
    const rest = others.map(branch => branch.get(path));
    if (rest.every(other => other !== undefined)) result.set(path, rest.reduce<Bound>(wider, bound));
  }
  return result;
}

/** Returns a bound that allows what either of two allows. */
function wider(a: Bound, b: Bound): Bound {
  if (a.kind === 'points' && b.kind === 'points') return pointsOf([...a.points, ...b.points]) ?? { kind: 'interval' };
  const [x, y] = [endsOf(a), endsOf(b)];
  return { kind: 'interval', low: pick(x.low, y.low, -1, 'open'), high: pick(x.high, y.high, 1, 'open') };
}

/** Returns the tighter of two bounds: points rather than an interval, else the inner ends of two intervals. */
function narrower(a: Bound, b: Bound): Bound {
  if (a.kind === 'points') return b.kind === 'points' && b.points.length < a.points.length ? b : a;
  if (b.kind === 'points') return b;
  return { kind: 'interval', low: pick(a.low, b.low, 1, 'closed'), high: pick(a.high, b.high, -1, 'closed') };
}

/** Returns the least and greatest value of a bound. Null sorts first, so an interval open below includes it. */
function endsOf(bound: Bound): { readonly low?: unknown; readonly high?: unknown } {
  if (bound.kind === 'interval') return bound;
  return { low: bound.points[0] ?? undefined, high: bound.points.at(-1) ?? undefined };
}

/** Picks the greater (1) or the lesser (-1) of two ends; where one is missing, the open end or the closed one. */
function pick(a: unknown, b: unknown, direction: 1 | -1, preferred: 'open' | 'closed'): unknown {
  if (a === undefined || b === undefined) return preferred === 'open' ? undefined : (a ?? b);
  return compareValues(a, b) * direction > 0 ? a : b;
}
