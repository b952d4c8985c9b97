import type { Taint } from '@stave/driver-sdk';
import { zoneOf } from '../attribute-resolution/attributes.js';
import type { GroupDefaults } from '../attribute-resolution/resolve-node-group.js';
import { mergeLabels } from '../kernel/merge-labels.js';
import { mergePatch } from '../kernel/merge-patch.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import type { FlavorSpec, NodeGroupSpec, ZoneSpec } from './node-group-spec.js';
import type { NodeShare } from './update-strategy.js';

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };

/** A JSON merge patch of a node group. null restores the default. */
export interface NodeGroupPatch {
  readonly count?: number;
  readonly minCount?: number | null;
  readonly maxCount?: number | null;
  readonly flavor?: Nullable<FlavorSpec>;
  readonly image?: string | null;
  readonly dataVolumeGb?: number | null;
  readonly zones?: readonly (string | ZoneSpec)[] | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly taints?: readonly Taint[] | null;
  readonly conductorGroup?: string | null;
  readonly options?: Readonly<Record<string, unknown>> | null;
  readonly updateStrategy?: Nullable<{ readonly maxSurge: NodeShare; readonly maxUnavailable: NodeShare }> | null;
}

/** Returns the changes of a patch: objects are merged into the current value, null becomes the default of a new group. */
export function groupChanges(spec: NodeGroupSpec, patch: NodeGroupPatch, defaults: GroupDefaults): NodeGroupChanges {
  const { cluster = {}, driver = {} } = defaults;
  const { labels, zones, flavor, options, updateStrategy, ...others } = patch;
  const { minCount, image, dataVolumeGb, taints } = others;
  return {
    ...(others as NodeGroupChanges),
    ...(minCount === null ? { minCount: 0 } : {}),
    ...(image === null ? { image: cluster.image ?? driver.image ?? null } : {}),
    ...(dataVolumeGb === null ? { dataVolumeGb: cluster.dataVolumeGb ?? null } : {}),
    ...(taints === null ? { taints: [] } : {}),
    ...(labels === undefined ? {} : { labels: mergeLabels(spec.labels, labels) }),
    ...(zones === undefined ? {} : { zones: (zones ?? cluster.zones ?? []).map(zoneOf) }),
    ...(flavor === undefined ? {} : { flavor: mergePatch(spec.flavor, flavor) as FlavorSpec }),
    ...(options === undefined ? {} : { options: options === null ? {} : mergedOptions(spec, options) }),
    ...(updateStrategy === undefined ? {} : { updateStrategy: mergedStrategy(spec, updateStrategy) }),
  };
}

const mergedOptions = (spec: NodeGroupSpec, patch: Readonly<Record<string, unknown>>) =>
  mergePatch(spec.options, patch) as Readonly<Record<string, unknown>>;

function mergedStrategy(spec: NodeGroupSpec, patch: NodeGroupPatch['updateStrategy']) {
  const merged = patch === null ? {} : mergePatch(spec.updateStrategy ?? {}, patch);
  return Object.keys(merged as object).length === 0 ? null : (merged as NodeGroupChanges['updateStrategy']);
}
