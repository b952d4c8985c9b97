/** As a fresh id, another made text, and an instant are shown in a plan. */
const MADE = '(generated)';
const TIME = '(time)';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

type Members = Readonly<Record<string, unknown>>;
type Pair = readonly [one: string, other: string];

/** Two computations of the same plan differ in more than what is made afresh: what they were made of has moved meanwhile. */
export class PlanMovedError extends Error {}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function membersOf(value: Members): readonly string[] {
  return Object.keys(value);
}

/** Every pair of texts that differ, at the same place of both. Throws PlanMovedError where anything else differs. */
function differing(one: unknown, other: unknown, found: Pair[]): readonly Pair[] {
  if (typeof one === 'string' && typeof other === 'string') {
    if (one !== other) found.push([one, other]);
    return found;
  }
  if (!isMembers(one) || !isMembers(other)) {
    if (one !== other) throw new PlanMovedError();
    return found;
  }
  const members = membersOf(one);
  if (members.length !== membersOf(other).length || Array.isArray(one) !== Array.isArray(other))
    throw new PlanMovedError();
  for (const member of members) {
    if (!(member in other)) throw new PlanMovedError();
    differing(one[member], other[member], found);
  }
  return found;
}

/** What stands for each text that was made afresh, the shortest first: longer ones are often made of shorter ones. */
function placeholders(pairs: readonly Pair[]): readonly (readonly [...Pair, string])[] {
  const known: [string, string, string][] = [];
  const seen = new Set<string>();
  let ids = 0;
  const order = (text: string): number => (UUID.test(text) ? 36 : text.length);
  for (const [one, other] of [...pairs].sort((a, b) => order(a[0]) - order(b[0]) || a[0].length - b[0].length)) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (substituted(one, known, 0) === substituted(other, known, 1)) continue;
    const isId = UUID.test(one);
    known.push([one, other, isId ? `(new ${++ids})` : `${commonWords(one, other)}${MADE}`]);
  }
  return known;
}

/** `group-` of `group-7f21ab` and `group-90c3de`. */
function commonWords(one: string, other: string): string {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end++;
  return one.slice(0, one.slice(0, end).lastIndexOf('-') + 1);
}

function substituted(text: string, known: readonly (readonly [...Pair, string])[], side: 0 | 1): string {
  return known.reduce((t, entry) => t.replaceAll(entry[side], entry[2]), text);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map(item => mapTexts(item, map));
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Every instant that stands in it, as milliseconds. */
export function instantsIn(value: unknown, found = new Set<number>()): ReadonlySet<number> {
  mapTexts(value, text => {
    if (/^\d{4}-\d\d-\d\dT/.test(text)) found.add(Date.parse(text));
    return text;
  });
  return found;
}

/**
 * What two computations of one thing have in common: texts in which they differ were made afresh by each, and so would be by the change
 * itself; they are shown as `(new 1)`, `(new 2)` …, `(generated)`. Instants that were not asked for become `(time)`. Throws PlanMovedError
 * when they differ in anything else.
 */
export function blend<T>(one: T, other: T, asked: ReadonlySet<number>): T {
  const known = placeholders(differing(one, other, []));
  const common = mapTexts(one, text => {
    if (INSTANT.test(text)) return asked.has(Date.parse(text)) ? text : TIME;
    return substituted(text, known, 0);
  });
  return common as T; // of the same shape: texts were replaced by texts
}

/** Whether it is what was blended, with something of its own at the places of what is made afresh. */
export function fits(blended: unknown, actual: unknown): boolean {
  if (typeof blended === 'string') return typeof actual === 'string' && fitsText(blended, actual);
  if (!isMembers(blended) || !isMembers(actual)) return blended === actual;
  const members = membersOf(blended);
  if (members.length !== membersOf(actual).length) return false;
  return members.every(member => member in actual && fits(blended[member], actual[member]));
}

function fitsText(blended: string, actual: string): boolean {
  if (blended === actual) return true;
  const parts = blended.split(/\(new \d+\)|\(generated\)|\(time\)/);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return parts.length > 1 && actual.startsWith(first) && actual.endsWith(last);
}
