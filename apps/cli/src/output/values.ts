import { isDocument, type Document } from '../api/api.js';

/** What values are shown with: names of ids, and the present time for ages. */
export interface Names {
  readonly now: number;
  nameOf(id: string): string;
}

/** A time from now, before or after it. */
const distance = (time: string, now: number): string =>
  Date.parse(time) > now ? `in ${ageOf(new Date(2 * now - Date.parse(time)).toISOString(), now)}` : ageOf(time, now);

/** An age as people read it: `3s`, `12m`, `5h`, `4d`. */
export function ageOf(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** A value in one line. Control characters, which could command the terminal, are shown as what they are. */
export function inline(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(inline).join(',');
  if (!isDocument(value)) return printable(String(value));
  const entries = Object.entries(value);
  return entries.length === 0 ? '–' : entries.map(([key, member]) => `${printable(key)}=${inline(member)}`).join(',');
}

/** Replaces control characters by visible ones. */
export const printable = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f]/g,
    character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

const flavor = ({ name, cpus, memoryMb }: Document): string =>
  [
    name,
    cpus === undefined ? undefined : `${String(cpus)} CPU`,
    memoryMb === undefined ? undefined : `${String(memoryMb)} MB`,
  ]
    .filter(part => part !== undefined)
    .join(' / ');

/** The sentence of a reason, or its code. */
export const reasonText = (reason: unknown): string =>
  isDocument(reason)
    ? String(reason['detail'] ?? reason['sentence'] ?? reason['message'] ?? reason['code'] ?? '')
    : String(reason);

const counts = (value: Document, ready: string, total: string): string =>
  `${String(value[ready] ?? '?')}/${String(value[total] ?? '?')}`;

type Show = (document: Document, names: Names) => unknown;

const special: Readonly<Record<string, Show>> = {
  nodes: ({ nodeCounts }) => (isDocument(nodeCounts) ? counts(nodeCounts, 'ready', 'total') : undefined),
  ready: document => counts(document, 'nodesReady', 'nodesTotal'),
  running: ({ counts: members, desired }) =>
    isDocument(members) ? `${String(members['available'] ?? 0)}/${String(desired ?? '?')}` : desired,
  cluster: ({ clusterId }, names) => (clusterId ? names.nameOf(String(clusterId)) : undefined),
  node: ({ nodeId }, names) => (nodeId ? names.nameOf(String(nodeId)) : undefined),
  flavor: ({ flavor: value }) => (isDocument(value) ? flavor(value) : value),
  resources: ({ resources: value }) => (isDocument(value) ? flavor(value) : value),
  progress: ({ progress }) =>
    isDocument(progress) ? `${counts(progress, 'done', 'total')} ${String(progress['percent'])}%` : undefined,
  target: ({ target }) => (isDocument(target) ? `${String(target['type'])} ${String(target['id'])}` : undefined),
  why: ({ statusReason, error }) => reasonText(statusReason ?? error ?? ''),
  drivers: ({ drivers }) =>
    Array.isArray(drivers)
      ? drivers.map(driver => (isDocument(driver) ? `${String(driver['name'])}@${String(driver['version'])}` : driver))
      : drivers,
  conductors: ({ conductors, tables }) =>
    conductors ??
    (Array.isArray(tables)
      ? [...new Set(tables.flatMap(table => Object.keys(Object(Object(table).slots) as object)))]
      : undefined),
  zones: ({ zones }) =>
    Array.isArray(zones)
      ? zones.map(zone =>
          isDocument(zone)
            ? `${String(zone['name'])}${zone['region'] === undefined ? '' : `@${String(zone['region'])}`}`
            : zone,
        )
      : zones,
};

/** Titles of columns that differ from their member. */
const titles: Readonly<Record<string, string>> = { updatedAt: 'CHANGED', createdAt: 'AGE', conductorGroup: 'GROUP' };

export const titleOf = (column: string): string =>
  titles[column] ?? column.replace(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();

/** The text of a column for a resource. A column is a member, or a path to one with dots. */
export function cell(document: Document, column: string, names: Names): string {
  const show = special[column];
  const value = show
    ? show(document, names)
    : column.split('.').reduce<unknown>((place, key) => (isDocument(place) ? place[key] : undefined), document);
  if (/At$/.test(column) && typeof value === 'string') return distance(value, names.now);
  return inline(value);
}

/** A JSON pointer as the member that `--set` takes: `/flavor/cpus` is `flavor.cpus`. */
export const memberOf = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
