import type { NodeVolume, Taint } from '@stave/driver-sdk';
import type { NodeGroupAutoscalingInput } from '../autoscaling/node-group-autoscaling.js';
import type { Problem } from '../kernel/decider.js';

export interface FlavorSpec {
  readonly name?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskGb?: number;
}

/** A flavor by its name alone, whose sizes the infrastructure knows. */
export interface NamedFlavor {
  readonly name: string;
}

/** A flavor in a request or a template, which may leave the sizes to the infrastructure. */
export type WantedFlavor = FlavorSpec | NamedFlavor;

/** Returns whether the flavor is given by its name and nothing else. */
export const isNamedAlone = (flavor: object | undefined): flavor is NamedFlavor =>
  flavor !== undefined && 'name' in flavor && Object.keys(flavor).length === 1;

export interface ZoneSpec {
  readonly name: string;
  readonly region?: string;
}

/** The fully resolved attributes of a group of identical nodes. */
export interface NodeGroupSpec {
  readonly role: 'manager' | 'worker';
  readonly count: number;
  readonly minCount: number;
  readonly maxCount?: number;
  readonly flavor: FlavorSpec;
  readonly image?: string;
  readonly dataVolumeGb?: number;
  /** The volumes of each node. */
  readonly volumes?: readonly NodeVolume[];
  readonly zones: readonly ZoneSpec[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** null follows the conductor group of the cluster. */
  readonly conductorGroup: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly updateStrategy?: UpdateStrategy;
  /** Each node is made of a machine with these labels; absent: no machine is taken. Never changes. */
  readonly machineSelector?: Readonly<Record<string, string>>;
  /** Absent: only users change the count. */
  readonly autoscaling?: NodeGroupAutoscalingInput;
}

interface SpecLists {
  readonly zones?: readonly ZoneSpec[] | null;
  readonly taints?: readonly Taint[] | null;
  readonly volumes?: readonly NodeVolume[] | null;
}

/**
 * Zones of one name, whatever their regions, taints of one key and effect, volumes of one name or at one path: reported at each but the
 * first.
 */
export function specDuplicates(
  { zones, taints, volumes }: SpecLists,
  pointer: (attribute: keyof SpecLists) => string,
): readonly Problem[] {
  return [
    ...repeated(volumes ?? [], pointer('volumes'), ({ name }) => `volume ${name.toLowerCase()}`),
    ...repeated(volumes ?? [], pointer('volumes'), ({ mountPath }) => `mountPath ${mountPath}`),
    ...repeated(zones ?? [], pointer('zones'), ({ name }) => `zone ${name}`),
    ...repeated(taints ?? [], pointer('taints'), ({ key, effect }) => `taint ${key} with effect ${effect}`),
  ];
}

function repeated<T>(items: readonly T[], pointer: string, named: (item: T) => string): readonly Problem[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const name = named(item);
    if (seen.has(name)) return [{ pointer: `${pointer}/${i}`, code: 'duplicate', detail: `${name} is given twice` }];
    seen.add(name);
    return [];
  });
}

/** A number of nodes, or a share of the count such as "25%". */
export type NodeShare = number | string;

/** How nodes are replaced when their group changes. The default is one node above the count and none unavailable. */
export interface UpdateStrategy {
  readonly maxSurge?: NodeShare;
  readonly maxUnavailable?: NodeShare;
}

export const defaultUpdateStrategy = { maxSurge: 1, maxUnavailable: 0 } as const satisfies UpdateStrategy;

/** Returns the strategy with its defaults filled in. */
export const fullUpdateStrategy = (strategy: UpdateStrategy = {}): Required<UpdateStrategy> => ({
  ...defaultUpdateStrategy,
  ...strategy,
});

const share = (given: NodeShare): number => (typeof given === 'number' ? given : Number(given.replace('%', '')));

/**
 * Returns how many nodes may exist above the count and how many may be unavailable. A share of the count is rounded up for the surge and
 * down for unavailable nodes. Where both are 0, one node may be unavailable, so that the replacement makes progress.
 */
export function updateBounds(
  strategy: UpdateStrategy | undefined,
  count: number,
): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = fullUpdateStrategy(strategy);
  const nodes = (given: NodeShare, round: (exact: number) => number): number =>
    typeof given === 'number' ? given : round((count * share(given)) / 100);
  const surge = nodes(maxSurge, Math.ceil);
  const unavailable = Math.min(count, nodes(maxUnavailable, Math.floor));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Returns a problem when the strategy would never replace a node. */
export function strategyProblems(strategy: UpdateStrategy | undefined, pointer: string): readonly Problem[] {
  const { maxSurge, maxUnavailable } = fullUpdateStrategy(strategy);
  if (share(maxSurge) > 0 || share(maxUnavailable) > 0) return [];
  return [{ pointer, code: 'no-progress', detail: 'maxSurge and maxUnavailable may not both be zero' }];
}

/** Reports the members that a flavor lacks which must have its sizes. */
export const flavorProblems = (flavor: object | undefined, pointer: string): readonly Problem[] =>
  ['cpus', 'memoryMb']
    .filter(member => flavor && !(member in flavor))
    .map(member => ({ pointer: `${pointer}/${member}`, code: 'required', detail: `a flavor needs ${member}` }));

/** Reports the members that a flavor lacks which may be given by its name alone. */
export const wantedFlavorProblems = (flavor: object | undefined, pointer: string): readonly Problem[] =>
  isNamedAlone(flavor) ? [] : flavorProblems(flavor, pointer);
