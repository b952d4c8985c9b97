import { isDeepStrictEqual } from 'node:util';

/** One difference between two objects; a value is left out where there is none, where it is long, and in Secrets. */
export interface Difference {
  readonly pointer: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** What the server writes itself with every change. */
const ofServer = new Set([
  '/status',
  ...['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp'].map(name => `/metadata/${name}`),
]);
const longest = 1_000;

/** Returns how two versions of an object of Kubernetes differ, without what the server writes itself. */
export function differences(before: unknown, after: unknown, options: { readonly hideValues: boolean }): Difference[] {
  return [...differencesAt('', before, after)].map(({ pointer, from, to }) => ({
    pointer,
    ...(isShown(from, options.hideValues) && { from }),
    ...(isShown(to, options.hideValues) && { to }),
  }));
}

const isShown = (value: unknown, hideValues: boolean): boolean =>
  value !== undefined && !hideValues && JSON.stringify(value).length <= longest;

function* differencesAt(pointer: string, from: unknown, to: unknown): Generator<Difference> {
  if (ofServer.has(pointer) || isDeepStrictEqual(from, to)) return;
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to)) {
    yield { pointer, from, to };
    return;
  }
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
    yield* differencesAt(`${pointer}/${escaped(key)}`, from[key], to[key]);
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
