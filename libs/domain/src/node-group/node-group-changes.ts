import type { NodeVolume, Taint } from '@stave/driver-sdk';
import { isDeepStrictEqual } from 'node:util';
import { zoneOf } from '../attribute-resolution/attributes.js';
import {
  fullNodeGroupAutoscaling,
  type NodeGroupAutoscaling,
  type NodeGroupAutoscalingInput,
} from '../autoscaling/node-group-autoscaling.js';
import type { GroupDefaults } from '../attribute-resolution/resolve-node-group.js';
import { mergePatch } from '../kernel/json.js';
import { mergeLabels } from '../kernel/merge-labels.js';
import type { FlavorSpec, NodeGroupSpec, NodeShare, UpdateStrategy, ZoneSpec } from './node-group-spec.js';

/** The changed attributes of a node group with their complete new values; null removes an attribute. */
export interface NodeGroupChanges {
  readonly count?: number;
  readonly minCount?: number;
  readonly maxCount?: number | null;
  readonly flavor?: FlavorSpec;
  readonly image?: string | null;
  readonly dataVolumeGb?: number | null;
  readonly volumes?: readonly NodeVolume[] | null;
  readonly zones?: readonly ZoneSpec[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly conductorGroup?: string | null;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly updateStrategy?: UpdateStrategy | null;
  readonly autoscaling?: NodeGroupAutoscaling | null;
}

const optional = [
  'maxCount',
  'image',
  'dataVolumeGb',
  'volumes',
  'updateStrategy',
  'autoscaling',
] as const satisfies (keyof NodeGroupSpec)[];

export function changedGroupSpec(spec: NodeGroupSpec, changes: NodeGroupChanges): NodeGroupSpec {
  const merged: Record<string, unknown> = { ...spec, ...changes };
  for (const name of optional) if (merged[name] === null) delete merged[name];
  return merged as unknown as NodeGroupSpec;
}

export function realChanges(spec: NodeGroupSpec, changes: NodeGroupChanges): NodeGroupChanges {
  const next = changedGroupSpec(spec, changes);
  const differs = (name: string): boolean =>
    !isDeepStrictEqual(next[name as keyof NodeGroupSpec], spec[name as keyof NodeGroupSpec]);
  return Object.fromEntries(Object.entries(changes).filter(([name]) => differs(name)));
}

/** The attributes that a node is built from. A change of them needs new nodes. */
interface BuildSpec {
  readonly flavor: FlavorSpec;
  readonly image: string | null;
  readonly dataVolumeGb: number | null;
  readonly volumes: readonly NodeVolume[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A numbered specification that nodes of the group were built from. */
export interface Build {
  readonly build: number;
  readonly spec: BuildSpec;
}

export const buildSpecOf = ({ flavor, image, dataVolumeGb, volumes = [], options }: NodeGroupSpec): BuildSpec => ({
  flavor,
  image: image ?? null,
  dataVolumeGb: dataVolumeGb ?? null,
  volumes,
  options,
});

/** The number of earlier specifications that are kept. Restoring an older one replaces all nodes. */
const KEPT_BUILDS = 20;

/**
 * Returns the builds with this specification as the last. A specification that was used before keeps its number. Options that are not
 * among `rollingOptions` do not distinguish specifications.
 */
export function withBuild(
  builds: readonly Build[],
  spec: NodeGroupSpec,
  rollingOptions?: readonly string[],
): readonly Build[] {
  const wanted = buildSpecOf(spec);
  const compared = (one: BuildSpec): BuildSpec => ({ ...one, options: rollingPart(one.options, rollingOptions) });
  const known = builds.findLast(b => isDeepStrictEqual(compared(b.spec), compared(wanted)));
  const build = known?.build ?? Math.max(-1, ...builds.map(b => b.build)) + 1;
  return [...builds.filter(b => b !== known), { build, spec: wanted }].slice(-KEPT_BUILDS);
}

/** Returns the options whose change replaces nodes; all where `rollingOptions` is absent. */
const rollingPart = (
  options: NodeGroupSpec['options'],
  rollingOptions: readonly string[] | undefined,
): NodeGroupSpec['options'] =>
  rollingOptions
    ? Object.fromEntries(Object.entries(options).filter(([name]) => rollingOptions.includes(name)))
    : options;

/** Returns the names of the options that differ. */
export const changedOptions = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    name => !isDeepStrictEqual(before[name], after[name]),
  );

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };

/** A JSON merge patch of a node group. null restores the default. */
export interface NodeGroupPatch {
  readonly count?: number;
  readonly minCount?: number | null;
  readonly maxCount?: number | null;
  readonly flavor?: Nullable<FlavorSpec>;
  readonly image?: string | null;
  readonly dataVolumeGb?: number | null;
  readonly volumes?: readonly NodeVolume[] | null;
  readonly zones?: readonly (string | ZoneSpec)[] | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly taints?: readonly Taint[] | null;
  readonly conductorGroup?: string | null;
  readonly options?: Readonly<Record<string, unknown>> | null;
  readonly updateStrategy?: Nullable<{ readonly maxSurge: NodeShare; readonly maxUnavailable: NodeShare }> | null;
  readonly autoscaling?: AutoscalingPatch | null;
}

type AutoscalingPatch = Nullable<Omit<NodeGroupAutoscaling, 'headroom'>> & {
  readonly headroom?: Nullable<NodeGroupAutoscaling['headroom']> | null;
};

/** Returns the changes of a patch: objects are merged into the current value, null becomes the default of a new group. */
export function groupChanges(spec: NodeGroupSpec, patch: NodeGroupPatch, defaults: GroupDefaults): NodeGroupChanges {
  const { cluster = {}, driver = {} } = defaults;
  const { labels, zones, flavor, options, updateStrategy, autoscaling, ...others } = patch;
  const { minCount, image, dataVolumeGb, volumes, taints } = others;
  return {
    ...(others as NodeGroupChanges),
    ...(minCount === null ? { minCount: 0 } : {}),
    ...(image === null ? { image: cluster.image ?? driver.image ?? null } : {}),
    ...(dataVolumeGb === null ? { dataVolumeGb: cluster.dataVolumeGb ?? null } : {}),
    // no volumes and an empty list are the same
    ...(volumes?.length === 0 ? { volumes: null } : {}),
    ...(taints === null ? { taints: [] } : {}),
    ...(labels === undefined ? {} : { labels: mergeLabels(spec.labels, labels) }),
    ...(zones === undefined ? {} : { zones: (zones ?? cluster.zones ?? []).map(zoneOf) }),
    ...(flavor === undefined ? {} : { flavor: mergePatch(spec.flavor, flavor) as FlavorSpec }),
    ...(options === undefined ? {} : { options: options === null ? {} : mergedOptions(spec, options) }),
    ...(updateStrategy === undefined ? {} : { updateStrategy: mergedStrategy(spec, updateStrategy) }),
    ...(autoscaling === undefined ? {} : { autoscaling: mergedAutoscaling(spec, autoscaling) }),
  };
}

const mergedOptions = (spec: NodeGroupSpec, patch: Readonly<Record<string, unknown>>) =>
  mergePatch(spec.options, patch) as Readonly<Record<string, unknown>>;

function mergedStrategy(spec: NodeGroupSpec, patch: NodeGroupPatch['updateStrategy']) {
  const merged = patch === null ? {} : mergePatch(spec.updateStrategy ?? {}, patch);
  return Object.keys(merged as object).length === 0 ? null : (merged as NodeGroupChanges['updateStrategy']);
}

/** Returns the complete settings; null restores a default, and null for all of them leaves the count to users. */
function mergedAutoscaling({ autoscaling = {} }: NodeGroupSpec, patch: AutoscalingPatch | null) {
  if (patch === null) return null;
  return fullNodeGroupAutoscaling(mergePatch(autoscaling, patch) as NodeGroupAutoscalingInput);
}
