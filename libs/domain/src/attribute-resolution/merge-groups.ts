import type { Problem } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import type { WantedNodeGroupSpec } from './attributes.js';
import { named, type Layer, type SourceRef } from './layers.js';
import { sourceLayer, type NodeGroupLayer, type NodeGroupSource } from './resolve-node-group.js';

export const MAX_GROUPS = 100;

/** A node group in a request for a cluster or a cluster template. */
export interface GroupEntry {
  readonly name?: string;
  readonly attributes: Layer<WantedNodeGroupSpec>['attributes'];
  readonly from?: NodeGroupSource;
  /** The request names a source that cannot be used, so missing values are not reported in addition. */
  readonly isSourceUnknown?: boolean;
}

/** A merged group with its layers, the nearest first. */
export interface MergedGroup {
  /** Absent when a name is generated, after `namedAfter` where that is given. */
  readonly name?: string;
  readonly namedAfter?: string;
  readonly layers: readonly NodeGroupLayer[];
  /** The pointer of the group in the request; absent when the group comes unchanged from the source. */
  readonly index?: number;
}

interface GroupsRequest {
  readonly entries: readonly GroupEntry[];
  /** Names of groups of the source that are left out. */
  readonly omitted: readonly string[];
  /** The groups of the source with their names; undefined when the source cannot be used. */
  readonly source: readonly NodeGroupSource[] | undefined;
}

const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/**
 * Merges the groups of the request by name, without regard to case, with those of the source: first those of the source, in its order,
 * then the new ones. Reports omitted names that the source lacks or that an entry has, duplicate names and too many groups.
 */
export function mergeGroups(request: GroupsRequest): {
  readonly groups: readonly MergedGroup[];
  readonly problems: readonly Problem[];
} {
  const { entries, omitted, source = [] } = request;
  const kept = source.filter(({ ref }) => !omitted.some(name => same(name, ref.name)));
  const below = entries.map(({ name }) => kept.find(({ ref }) => same(name, ref.name)));
  const fromSource = kept.map((group): MergedGroup => {
    const { name } = group.ref;
    const index = below.indexOf(group);
    const entry = entries[index];
    return entry
      ? { name, layers: layersOf(entry, index, group), index }
      : { name, layers: [sourceLayer(group, '/from')] };
  });
  const added = entries.flatMap((entry, index): MergedGroup[] => {
    if (below[index]) return [];
    const { name, from } = entry;
    const namedAfter = name === undefined ? from?.ref.name : undefined;
    return [{ ...omitUndefined({ name, namedAfter }), layers: layersOf(entry, index), index }];
  });
  const groups = [...fromSource, ...added];
  return { groups, problems: [...omissionProblems(request), ...duplicates(entries), ...tooMany(groups.length)] };
}

function layersOf(entry: GroupEntry, index: number, below?: NodeGroupSource): readonly NodeGroupLayer[] {
  const base = `/nodeGroups/${index}`;
  const pointer = (attribute: string): string => `${base}/${attribute}`;
  return [
    { origin: { from: 'request' }, attributes: entry.attributes, pointer },
    ...(entry.from ? [sourceLayer(entry.from, `${base}/from`)] : []),
    ...(below ? [sourceLayer(below, '/from')] : []),
  ];
}

/**
 * Reports omitted names that the source lacks, and those that an entry defines again, which would remove the marks that the source set.
 */
function omissionProblems({ entries, omitted, source }: GroupsRequest): readonly Problem[] {
  const problems = (code: string, isWrong: (name: string) => boolean, detail: (name: string) => string) =>
    omitted.flatMap((name, i) =>
      isWrong(name) ? [{ pointer: `/omitNodeGroups/${i}`, code, detail: detail(name) }] : [],
    );
  const isUnknown = (name: string): boolean => source?.every(({ ref }) => !same(name, ref.name)) === true;
  const isGiven = (name: string): boolean => entries.some(entry => same(entry.name, name));
  return [
    ...problems('unknown-node-group', isUnknown, name => `the source has no node group ${name}`),
    ...problems('omitted-and-given', isGiven, name => `the node group ${name} is left out and given`),
  ];
}

function duplicates(entries: readonly GroupEntry[]): readonly Problem[] {
  return entries.flatMap(({ name }, i) => {
    if (name === undefined || entries.findIndex(other => same(other.name, name)) === i) return [];
    return [{ pointer: `/nodeGroups/${i}/name`, code: 'duplicate-name', detail: `two node groups are named ${name}` }];
  });
}

function tooMany(count: number): readonly Problem[] {
  if (count <= MAX_GROUPS) return [];
  const detail = `there would be ${count} node groups; ${MAX_GROUPS} is the most`;
  return [{ pointer: '/nodeGroups', code: 'too-many-groups', detail }];
}

/** Reports sources of another driver, whose options have no meaning for the driver of this cluster. */
export function driverMismatches(
  groups: readonly MergedGroup[],
  entries: readonly GroupEntry[],
  driver: string | undefined,
): readonly Problem[] {
  return groups.flatMap(({ index }) => {
    const from = index === undefined ? undefined : entries[index]?.from;
    return from ? mismatch(from.ref, from.driver, driver, `/nodeGroups/${index}/from`) : [];
  });
}

/** Returns a problem when both drivers are known and differ. */
export function mismatch(
  ref: SourceRef,
  theirs: string | undefined,
  wanted: string | undefined,
  pointer: string,
): readonly Problem[] {
  if (theirs === undefined || wanted === undefined || theirs === wanted) return [];
  return [{ pointer, code: 'driver-mismatch', detail: `${named(ref)} is of driver ${theirs}, not ${wanted}` }];
}

const LONGEST = 63;
const SUFFIX = 6;

/**
 * Returns the name of a resource that was created from a source without a name: `<source>-<6 characters>`, at most 63 characters.
 * `unique` is a text that is random at its end.
 */
export function generatedName(source: string, unique: string): string {
  const kept = source.slice(0, LONGEST - SUFFIX - 1).replace(/-+$/, '');
  return `${kept}-${unique.slice(-SUFFIX)}`;
}

/** Returns the random end of a UUID in letters and digits, for {@link generatedName}. */
export const randomSource = (uuid: string): string =>
  BigInt(`0x${uuid.replaceAll('-', '').slice(-12)}`)
    .toString(36)
    .padStart(SUFFIX, '0');
