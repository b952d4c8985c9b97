import { DocumentFilter } from '../document-store.port.js';
import { compareValues } from './value-order.js';

/**
 * Where the values of one path must lie for a document to match: one of a few points, or an interval with open ends where
 * undefined. Always at least as wide as the filter (candidates are tested again), so ends count as inside.
 */
export type Bound =
  | { readonly kind: 'points'; readonly points: readonly unknown[] }
  /** `single`: one element of an array must lie between both ends. */
  | { readonly kind: 'interval'; readonly low?: unknown; readonly high?: unknown; readonly single?: true };

export type Bounds = ReadonlyMap<string, Bound>;

const MAX_POINTS = 1000;

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isFilter(value: unknown): value is DocumentFilter {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function points(values: readonly unknown[]): Bound | undefined {
  if (values.length > MAX_POINTS || !values.every(isScalar)) return undefined;
  return { kind: 'points', points: [...new Set(values)].sort(compareValues) };
}

/** The text every match of an anchored expression starts with, if it is plain. */
function literalPrefix(expression: string): string | undefined {
  const found = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[^A-Za-z0-9])+)/.exec(expression);
  if (found?.[1] === undefined || expression.includes('|')) return undefined;
  const quantified = /^[*?{+]/.test(expression.slice(found[0].length));
  const text = found[1].replace(/\\(.)/g, '$1');
  return quantified ? text.slice(0, -1) : text;
}

function ofRegex(source: unknown, options: unknown): Bound | undefined {
  const plain =
    source instanceof RegExp ? (source.flags.replace(/[gu]/g, '') === '' ? source.source : undefined) : source;
  if (typeof plain !== 'string' || (options !== undefined && options !== '')) return undefined;
  const prefix = literalPrefix(plain);
  return prefix ? { kind: 'interval', low: prefix, high: `${prefix}\uffff`, single: true } : undefined;
}

function ofOperators(operators: DocumentFilter): Bound | undefined {
  if ('$eq' in operators) return points([operators['$eq']]);
  if (Array.isArray(operators['$in'])) return points(operators['$in']);
  if (operators['$exists'] === false) return points([null]);
  if ('$regex' in operators) return ofRegex(operators['$regex'], operators['$options']);
  const low = operators['$gt'] ?? operators['$gte'];
  const high = operators['$lt'] ?? operators['$lte'];
  if (!isScalar(low ?? null) || !isScalar(high ?? null)) return undefined;
  return low === undefined && high === undefined ? undefined : interval(low, high);
}

function interval(low: unknown, high: unknown): Bound {
  return { kind: 'interval', ...(low == null ? {} : { low }), ...(high == null ? {} : { high }) };
}

function ofCondition(condition: unknown): Bound | undefined {
  if (isScalar(condition)) return points([condition]);
  if (condition instanceof RegExp) return ofRegex(condition, undefined);
  if (!isFilter(condition)) return undefined;
  return Object.keys(condition).some(key => key.startsWith('$')) ? ofOperators(condition) : undefined;
}

function ends(bound: Bound): { low?: unknown; high?: unknown } {
  return bound.kind === 'interval'
    ? bound
    : { low: bound.points[0] ?? undefined, high: bound.points.at(-1) ?? undefined };
}

/** The interval that holds what either of two bounds allows. */
function hull(a: Bound, b: Bound): Bound {
  if (a.kind === 'points' && b.kind === 'points') return points([...a.points, ...b.points]) ?? { kind: 'interval' };
  const [x, y] = [ends(a), ends(b)];
  const low = x.low === undefined || y.low === undefined ? undefined : compareValues(x.low, y.low) < 0 ? x.low : y.low;
  const high =
    x.high === undefined || y.high === undefined ? undefined : compareValues(x.high, y.high) > 0 ? x.high : y.high;
  return interval(low, high);
}

/** The tighter of two bounds that both hold: points beat intervals, the narrower ends of two intervals win. */
function narrower(a: Bound, b: Bound): Bound {
  if (a.kind === 'points') return b.kind === 'points' && b.points.length < a.points.length ? b : a;
  if (b.kind === 'points') return b;
  const low = a.low === undefined || (b.low !== undefined && compareValues(b.low, a.low) > 0) ? b.low : a.low;
  const high = a.high === undefined || (b.high !== undefined && compareValues(b.high, a.high) < 0) ? b.high : a.high;
  return interval(low, high);
}

function either(branches: readonly Bounds[]): Bounds {
  const [first, ...others] = branches;
  const result = new Map<string, Bound>();
  for (const [path, bound] of first ?? []) {
    const rest = others.map(branch => branch.get(path));
    if (rest.every(other => other !== undefined)) result.set(path, rest.reduce<Bound>(hull, bound));
  }
  return result;
}

/**
 * What a filter says about single paths, to find candidates by an index. Where a path holds several values (arrays) only
 * points may be used, and intervals that are `single`: different elements may meet the two ends of another.
 */
export function boundsOf(filter: DocumentFilter): Bounds {
  const result = new Map<string, Bound>();
  const add = (path: string, bound: Bound): void => {
    const known = result.get(path);
    result.set(path, known === undefined ? bound : narrower(known, bound));
  };
  for (const [key, condition] of Object.entries(filter)) {
    const branches = Array.isArray(condition) ? condition.filter(isFilter).map(branch => boundsOf(branch)) : [];
    if (key === '$and') branches.forEach(branch => branch.forEach((bound, path) => add(path, bound)));
    else if (key === '$or') either(branches).forEach((bound, path) => add(path, bound));
    else if (!key.startsWith('$')) {
      const bound = ofCondition(condition);
      if (bound !== undefined) add(key, bound);
    }
  }
  return result;
}
