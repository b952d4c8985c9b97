import type { Problem } from '../kernel/refusal.js';
import { strategyProblems, type UpdateStrategy } from './update-strategy.js';
import type { FlavorSpec, NodeGroupSpec, TaintSpec, ZoneSpec } from './node-group-spec.js';

/** A node group as a request gives it; shapes were checked before. */
export interface NodeGroupInput {
  readonly name?: string;
  readonly role?: 'manager' | 'worker';
  readonly count?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
  readonly flavor?: FlavorSpec;
  readonly image?: string;
  readonly dataVolumeGb?: number;
  readonly zones?: readonly (string | ZoneSpec)[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly TaintSpec[];
  readonly conductorGroup?: string | null;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly updateStrategy?: UpdateStrategy;
}

/** What a request leaves open is filled from here, nearest first: the cluster's defaults, then the driver's. */
export interface SpecDefaults {
  readonly cluster?: {
    readonly flavor?: FlavorSpec;
    readonly image?: string;
    readonly dataVolumeGb?: number;
    readonly zones?: readonly (string | ZoneSpec)[];
  };
  readonly driver?: { readonly image?: string };
}

/** A zone as it is kept; people may give its name only. */
export const zoneOf = (zone: string | ZoneSpec): ZoneSpec => (typeof zone === 'string' ? { name: zone } : zone);

const missing = (pointer: string, what: string): Problem => ({
  pointer,
  code: 'required',
  detail: `${what} is required`,
});

/** The full specification, or everything that is missing or contradicts itself, each pointed at under `base`. */
export function resolveNodeGroupSpec(
  input: NodeGroupInput,
  defaults: SpecDefaults,
  base: string,
): { readonly ok: true; readonly spec: NodeGroupSpec } | { readonly ok: false; readonly problems: readonly Problem[] } {
  const flavor = input.flavor ?? defaults.cluster?.flavor;
  const { role, maxCount } = input;
  const minCount = input.minCount ?? 0;
  const count = input.count ?? Math.max(1, minCount);
  const problems: Problem[] = [...strategyProblems(input.updateStrategy, `${base}/updateStrategy`)];
  if (!role) problems.push(missing(`${base}/role`, 'role'));
  if (!flavor) problems.push(missing(`${base}/flavor`, 'flavor'));
  if (maxCount !== undefined && minCount > maxCount)
    problems.push({ pointer: `${base}/minCount`, code: 'min-above-max', detail: 'minCount is above maxCount' });
  else if (maxCount !== undefined && count > maxCount)
    problems.push({ pointer: `${base}/count`, code: 'above-max-count', detail: 'count is above maxCount' });
  if (count < minCount)
    problems.push({ pointer: `${base}/count`, code: 'below-min-count', detail: 'count is below minCount' });
  if (problems.length > 0 || !role || !flavor) return { ok: false, problems };
  const image = input.image ?? defaults.cluster?.image ?? defaults.driver?.image;
  const dataVolumeGb = input.dataVolumeGb ?? defaults.cluster?.dataVolumeGb;
  return {
    ok: true,
    spec: {
      role,
      count,
      minCount,
      ...(maxCount === undefined ? {} : { maxCount }),
      flavor,
      ...(image === undefined ? {} : { image }),
      ...(dataVolumeGb === undefined ? {} : { dataVolumeGb }),
      zones: (input.zones ?? defaults.cluster?.zones ?? []).map(zoneOf),
      labels: input.labels ?? {},
      taints: input.taints ?? [],
      conductorGroup: input.conductorGroup ?? null,
      options: input.options ?? {},
      ...(input.updateStrategy === undefined ? {} : { updateStrategy: input.updateStrategy }),
    },
  };
}

/** Names given twice, without regard to case. */
export function duplicateNames(groups: readonly { readonly name?: string }[], base: string): readonly Problem[] {
  const seen = new Set<string>();
  return groups.flatMap((group, i) => {
    const name = group.name?.toLowerCase();
    if (name === undefined) return [];
    const clash = seen.has(name);
    seen.add(name);
    return clash
      ? [
          {
            pointer: `${base}/${i}/name`,
            code: 'duplicate-name',
            detail: `two node groups are named ${group.name ?? ''}`,
          },
        ]
      : [];
  });
}
