import { isDeepStrictEqual } from 'node:util';
import type { CreationCase } from './creation-cases.js';

const flavor = (cpus: number): object => ({ cpus, memoryMb: 512 });
const zones = (name: string): object => [{ name }];

/** The values of each attribute by place: the entry's source, the cluster's source, the cluster's defaults, the request. */
const values = {
  role: ['worker', 'manager', undefined, 'manager'],
  flavor: [flavor(1), flavor(2), flavor(3), flavor(4)],
  count: [2, 3, undefined, 4],
  labels: [{ a: '1' }, { a: '2' }, undefined, { a: '4' }],
  image: ['one', 'two', 'three', 'four'],
  zones: [zones('a'), zones('b'), zones('c'), zones('d')],
} as const;
/** The built-in defaults, which resources have whose request set no value. */
const builtIn = { role: undefined, flavor: undefined, count: 1, labels: {}, image: 'fake:1', zones: [] } as const;

type Place = 'request' | 'entry' | 'under' | 'cluster-defaults' | 'driver-defaults' | 'default';

/** The value of the attribute at each place, the one with the highest precedence first. */
export interface ValuesByPlace {
  readonly request?: unknown;
  readonly entry?: unknown;
  readonly under?: unknown;
  readonly defaults?: unknown;
}

export interface Expectation {
  /** `<pointer> <code>` of each problem, sorted. */
  readonly problems: readonly string[];
  readonly value?: unknown;
  readonly from?: Place;
}

/**
 * Returns the value of an attribute that the source does not set: none in a template, the built-in default in an
 * existing resource.
 */
const openOf = (c: CreationCase, kind: string): unknown =>
  kind === 'nodeGroup' || kind === 'cluster' ? builtIn[c.attribute] : undefined;

export function valuesByPlace(c: CreationCase): ValuesByPlace {
  const [first, second, third, fourth] = values[c.attribute];
  const hasOwn = c.entry === 'nodeGroupTemplate' || c.entry === 'nodeGroup';
  const entry = hasOwn ? (c.entryOpen ? openOf(c, c.entry) : first) : undefined;
  const under = c.merged ? (c.underOpen ? openOf(c, c.way) : second) : undefined;
  const nearest = entry ?? under;
  const other = isDeepStrictEqual(nearest, fourth) ? first : fourth;
  const request = { none: undefined, equal: nearest ?? fourth, other, null: null }[c.override];
  return { request, entry, under, ...(c.defaults ? { defaults: third } : {}) };
}

/** Returns what the specification says about the attribute of the case. */
export function expected(c: CreationCase): Expectation {
  const { request, entry, under, defaults } = valuesByPlace(c);
  const inRequest = c.entry !== 'none';
  const base = c.way === 'existing' ? '' : '/nodeGroups/0';
  const problems = new Set<string>();
  if (!c.driver) problems.add('/driver required');
  // an immutable attribute refuses every other value of a higher precedence, even if the template sets no value
  const violates = (over: unknown, bound: unknown): boolean =>
    over !== undefined && !isDeepStrictEqual(over, bound ?? null);
  if (c.entryMarked && violates(request, entry)) problems.add(`${base}/${c.attribute} immutable-attribute`);
  if (c.underMarked && request !== undefined && violates(request, under))
    problems.add(`${base}/${c.attribute} immutable-attribute`);
  if (c.underMarked && request === undefined && violates(entry, under))
    problems.add(`${base}/from immutable-attribute`);

  const answer = (from: Place, value: unknown): Expectation => ({ problems: [...problems].sort(), value, from });
  if (request !== undefined && request !== null) return answer('request', request);
  if (request === undefined && entry !== undefined) return answer('entry', entry);
  if (request === undefined && under !== undefined) return answer('under', under);
  if (defaults !== undefined) return answer('cluster-defaults', defaults);
  if (c.attribute === 'image') return answer('driver-defaults', builtIn.image);
  if (builtIn[c.attribute] !== undefined) return answer('default', builtIn[c.attribute]);
  problems.add(`${inRequest ? `${base}/${c.attribute}` : '/from'} required`);
  return { problems: [...problems].sort() };
}
