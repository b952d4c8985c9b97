import { isDeepStrictEqual } from 'node:util';
import type { CreationCase } from './creation-cases.js';

const flavor = (cpus: number): object => ({ cpus, memoryMb: 512 });
const zones = (name: string): object => [{ name }];

/** What each place says of an attribute: the entry's source, the one under it, the cluster's defaults, the request. */
const said = {
  role: ['worker', 'manager', undefined, 'manager'],
  flavor: [flavor(1), flavor(2), flavor(3), flavor(4)],
  count: [2, 3, undefined, 4],
  labels: [{ a: '1' }, { a: '2' }, undefined, { a: '4' }],
  image: ['one', 'two', 'three', 'four'],
  zones: [zones('a'), zones('b'), zones('c'), zones('d')],
} as const;
/** Of what lives and was asked for without it; also what fills what nobody says. */
const filled = { role: undefined, flavor: undefined, count: 1, labels: {}, image: 'fake:1', zones: [] } as const;

type Place = 'request' | 'entry' | 'under' | 'cluster-defaults' | 'driver-defaults' | 'default';

/** One place after the other, the nearest first; undefined: it says nothing. */
export interface Sayings {
  readonly request?: unknown;
  readonly entry?: unknown;
  readonly under?: unknown;
  readonly defaults?: unknown;
}

export interface Expectation {
  /** `pointer code`, sorted. */
  readonly problems: readonly string[];
  readonly value?: unknown;
  readonly from?: Place;
}

/** What an open source says: a template nothing, what lives what it was filled with. */
const openOf = (c: CreationCase, kind: string): unknown =>
  kind === 'nodeGroup' || kind === 'cluster' ? filled[c.attribute] : undefined;

export function sayings(c: CreationCase): Sayings {
  const [first, second, third, fourth] = said[c.attribute];
  const hasOwn = c.entry === 'nodeGroupTemplate' || c.entry === 'nodeGroup';
  const entry = hasOwn ? (c.entryOpen ? openOf(c, c.entry) : first) : undefined;
  const under = c.merged ? (c.underOpen ? openOf(c, c.way) : second) : undefined;
  const nearest = entry ?? under;
  const other = isDeepStrictEqual(nearest, fourth) ? first : fourth;
  const request = { none: undefined, equal: nearest ?? fourth, other, null: null }[c.override];
  return { request, entry, under, ...(c.defaults ? { defaults: third } : {}) };
}

/** The rules as the specification says them, for the attribute that the case is about. */
export function expected(c: CreationCase): Expectation {
  const { request, entry, under, defaults } = sayings(c);
  const inRequest = c.entry !== 'none';
  const base = c.way === 'existing' ? '' : '/nodeGroups/0';
  const problems = new Set<string>();
  if (!c.driver) problems.add('/driver required');
  // a mark binds everybody above it: another value, also where the template has none
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
  if (c.attribute === 'image') return answer('driver-defaults', filled.image);
  if (filled[c.attribute] !== undefined) return answer('default', filled[c.attribute]);
  problems.add(`${inRequest ? `${base}/${c.attribute}` : '/from'} required`);
  return { problems: [...problems].sort() };
}
