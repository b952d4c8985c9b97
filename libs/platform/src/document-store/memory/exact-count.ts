import type { DocumentFilter } from '../document-store.port.js';
import type { Bounds } from './filter-bounds.js';
import type { OrderedIndex } from './ordered-index.js';
import { rangesOf } from './query-plan.js';

const isObject = (value: unknown): value is DocumentFilter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The paths of a filter that says no more than which of some values (or of a prefix) each of them has; else undefined. */
function plainPaths(filter: DocumentFilter): readonly string[] | undefined {
  const found: string[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(condition) && condition.every(isObject)) {
      const parts = condition.map(plainPaths);
      for (const part of parts) {
        if (!part) return undefined;
        found.push(...part);
      }
    } else if (key.startsWith('$') || !isPlainCondition(condition)) return undefined;
    else found.push(key);
  }
  return found;
}

function isPlainCondition(condition: unknown): boolean {
  if (isPlain(condition)) return true;
  if (!isObject(condition)) return false;
  const [only, ...others] = Object.entries(condition);
  if (!only || others.length > 0) return false;
  const [operator, operand] = only;
  if (operator === '$in') return Array.isArray(operand) && operand.every(isPlain);
  // a prefix and nothing else, without characters that mean something
  return operator === '$regex' && typeof operand === 'string' && /^\^[A-Za-z0-9=_]+$/.test(operand);
}

/** How many documents match, told by one index alone; undefined where none can. */
export function exactCount(
  indexes: readonly OrderedIndex[],
  filter: DocumentFilter,
  bounds: Bounds,
): number | undefined {
  const paths = plainPaths(filter);
  if (!paths || new Set(paths).size !== paths.length) return undefined;
  for (const index of indexes) {
    const { ranges, depth, interval } = rangesOf(index, bounds);
    const told = new Set(index.paths.slice(0, depth + (interval ? 1 : 0)));
    const once = index.singleFrom === 0 || (index.singleFrom <= depth && ranges.length === 1);
    if (once && paths.every(path => told.has(path))) return ranges.reduce((sum, range) => sum + index.count(range), 0);
  }
  return undefined;
}
