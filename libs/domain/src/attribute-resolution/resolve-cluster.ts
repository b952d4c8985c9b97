import type { Problem } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { specDuplicates } from '../node-group/node-group-spec.js';
import {
  clusterAttributes,
  type ClusterAttributes,
  type NodeGroupAttributes,
  type WantedClusterSpecification,
} from './attributes.js';
import { mergeLayers, type Layer, type Marks, type Merged, type Origins, type SourceRef } from './layers.js';
import { driverMismatches, mergeGroups, mismatch, type GroupEntry, type MergedGroup } from './merge-groups.js';
import {
  mergeNodeGroup,
  outlineNodeGroup,
  resolveNodeGroup,
  type GroupDefaults,
  type NodeGroupSource,
  type Resolved,
  type ResolvedGroup,
} from './resolve-node-group.js';

/** The source of a cluster or a cluster template, in its current state. */
export interface ClusterSource {
  readonly ref: SourceRef;
  readonly attributes: ClusterAttributes;
  readonly marks: Marks;
  readonly groups: readonly NodeGroupSource[];
}

/** A request for a cluster or a cluster template, validated against the schema. */
export interface ClusterRequest {
  readonly attributes: Layer<WantedClusterSpecification>['attributes'];
  readonly from?: ClusterSource;
  /** The request names a source that cannot be used, so missing values are not reported in addition. */
  readonly isSourceUnknown?: boolean;
  readonly groups: readonly GroupEntry[];
  readonly omitted: readonly string[];
}

type Group<T> = T & Pick<MergedGroup, 'name' | 'namedAfter' | 'index' | 'layers'>;

export interface ResolvedCluster {
  /** The driver version is absent when none was requested: the newest offered version is used. */
  readonly spec: Omit<WantedClusterSpecification, 'driverVersion'> & { readonly driverVersion?: string };
  readonly origins: Origins;
  readonly groups: readonly Group<ResolvedGroup>[];
}

const attributesOfClusters = { names: clusterAttributes, nullable: [] };

function layersOf({ attributes, from }: ClusterRequest): readonly Layer<WantedClusterSpecification>[] {
  const given: Layer<WantedClusterSpecification> = {
    origin: { from: 'request' },
    attributes,
    pointer: attribute => `/${attribute}`,
  };
  if (!from) return [given];
  const origin = { from: 'source', source: from.ref } as const;
  return [given, { origin, attributes: from.attributes, marks: from.marks, pointer: '/from' }];
}

const builtIn = {
  conductorGroup: '',
  network: {},
  api: {},
  labels: {},
  defaults: {},
  options: {},
} satisfies ClusterAttributes;

/** Merges the layers of the cluster itself, without the defaults of its driver. */
export function mergeCluster(request: ClusterRequest): Merged<WantedClusterSpecification> {
  return mergeLayers(attributesOfClusters, layersOf(request));
}

/**
 * Returns the full specification of a cluster and of its groups with the origin of each value, or every value that is missing, immutable
 * or contradictory. `driver` has the defaults of the driver for groups.
 */
export function resolveCluster(
  request: ClusterRequest,
  driver: GroupDefaults['driver'] = {},
): Resolved<ResolvedCluster> {
  const defaults: Layer<WantedClusterSpecification> = { origin: { from: 'default' }, attributes: builtIn, pointer: '' };
  const { values, origins, problems } = mergeLayers(attributesOfClusters, [...layersOf(request), defaults]);
  const { groups, problems: ofGroups } = mergedGroups(request, values.driver);
  const resolved = groups.map(group => ({
    group,
    result: isOpen(request, group)
      ? ({ ok: false, problems: mergeNodeGroup(group.layers).problems } as const)
      : resolveNodeGroup(group.layers, omitUndefined({ driver, cluster: values.defaults })),
  }));
  const all = [
    ...(request.isSourceUnknown ? [] : missingDriver(values)),
    ...problems,
    ...ofGroups,
    ...resolved.flatMap(({ result }) => (result.ok ? [] : result.problems)),
  ];
  const complete = resolved.flatMap(({ group, result }) => (result.ok ? [{ ...group, ...result }] : []));
  if (all.length > 0 || values.driver === undefined || complete.length < groups.length)
    return { ok: false, problems: all };
  return { ok: true, spec: { ...builtIn, ...values, driver: values.driver }, origins, groups: complete };
}

/** Returns whether the group names a source that cannot be used and may hold the missing values. */
const isOpen = ({ isSourceUnknown, groups }: ClusterRequest, { index }: MergedGroup): boolean =>
  isSourceUnknown === true || (index !== undefined && groups[index]?.isSourceUnknown === true);

/** The known values of a cluster and its groups, complete or not, for further checks. */
export interface ClusterOutline {
  readonly values: ClusterAttributes;
  readonly origins: Origins;
  readonly layers: readonly Layer<WantedClusterSpecification>[];
  readonly groups: readonly Group<{ readonly values: NodeGroupAttributes; readonly origins: Origins }>[];
}

/** Returns the values and origins of {@link resolveCluster}, also where there are problems. */
export function outlineCluster(request: ClusterRequest, driver: GroupDefaults['driver'] = {}): ClusterOutline {
  const layers = layersOf(request);
  const { values, origins } = mergeLayers(attributesOfClusters, layers);
  const defaults = omitUndefined({ driver, cluster: values.defaults });
  const { groups } = mergedGroups(request, values.driver);
  const known = groups.filter(group => !isOpen(request, group));
  const outlined = known.map(group => ({ ...group, ...outlineNodeGroup(group.layers, defaults) }));
  return { values, origins, layers, groups: outlined };
}

/** Resolves a cluster template and its groups. Nothing is filled in, and nothing can be missing. */
export function resolveClusterTemplate(request: ClusterRequest): Resolved<{
  readonly values: ClusterAttributes;
  readonly origins: Origins;
  readonly groups: readonly Group<ReturnType<typeof mergeNodeGroup>>[];
}> {
  const { values, origins, problems } = mergeCluster(request);
  const { groups, problems: ofGroups } = mergedGroups(request, values.driver);
  const merged = groups.map(group => ({ ...group, ...mergeNodeGroup(group.layers) }));
  const all = [...problems, ...ofGroups, ...merged.flatMap(group => group.problems)];
  return all.length > 0 ? { ok: false, problems: all } : { ok: true, values, origins, groups: merged };
}

function mergedGroups(
  { attributes, from, groups: entries, omitted, isSourceUnknown }: ClusterRequest,
  driver: string | undefined,
): ReturnType<typeof mergeGroups> {
  const source = isSourceUnknown ? undefined : (from?.groups ?? []);
  const { groups, problems } = mergeGroups({ entries, omitted, source });
  const theirs = from?.ref.type === 'cluster' ? from.attributes.driver : undefined;
  const foreign = from ? mismatch(from.ref, theirs, driver, '/from') : [];
  const own = specDuplicates(attributes.defaults ?? {}, attribute => `/defaults/${attribute}`);
  return { groups, problems: [...own, ...problems, ...foreign, ...driverMismatches(groups, entries, driver)] };
}

const missingDriver = ({ driver }: ClusterAttributes): readonly Problem[] =>
  driver === undefined ? [{ pointer: '/driver', code: 'required', detail: 'driver is required' }] : [];
