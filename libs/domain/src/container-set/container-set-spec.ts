import { autoscalingProblems, type SetAutoscaling } from '../autoscaling/set-autoscaling.js';
import type { ContainerContents } from '../container/container-spec.js';
import { ownRuleProblems } from '../container/own-rules.js';
import { counted } from '../kernel/counted.js';
import type { Problem } from '../kernel/decider.js';
import { strategyProblems, updateBounds, type NodeShare } from '../node-group/node-group-spec.js';

/** How the members of a set are replaced when its contents change. */
export interface SetUpdateStrategy {
  /** Members above the desired number, or a share of it, rounded up. */
  readonly maxSurge: NodeShare;
  /** Members that may be missing, or a share of the desired number, rounded down. */
  readonly maxUnavailable: NodeShare;
  /** A member is available once it has been active for this time. */
  readonly minReadySeconds: number;
  /** A rollout fails when no further member became available within this time. */
  readonly progressDeadlineSeconds: number;
  readonly onFailure: 'pause' | 'rollback';
}

/** How long the successor of a member that failed waits. */
export interface SetBackoff {
  readonly baseSeconds: number;
  readonly maxSeconds: number;
  /** A member that was available for this time begins to count from one again. */
  readonly resetAfterSeconds: number;
  /** The failures in a row of one ordinal after which nothing is tried until the set is changed or retried. Absent: never. */
  readonly giveUpAfter?: number;
}

export const defaultSetStrategy: SetUpdateStrategy = {
  maxSurge: 1,
  maxUnavailable: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  onFailure: 'pause',
};

export const defaultSetBackoff: SetBackoff = { baseSeconds: 10, maxSeconds: 300, resetAfterSeconds: 600 };

export interface ContainerSetSpec {
  readonly desired: number;
  readonly min: number;
  readonly max?: number;
  readonly updateStrategy: SetUpdateStrategy;
  readonly backoff: SetBackoff;
  /** Absent: the set does not follow its load. */
  readonly autoscaling?: SetAutoscaling;
}

/** Changes of a specification, each member with its complete new value; null removes it. */
export type SetSpecChanges = Partial<Omit<ContainerSetSpec, 'max' | 'autoscaling'>> & {
  readonly max?: number | null;
  readonly autoscaling?: SetAutoscaling | null;
};

/** Returns the specification after the changes. */
export function changedSetSpec(
  spec: ContainerSetSpec,
  { max, autoscaling, ...others }: SetSpecChanges,
): ContainerSetSpec {
  const { max: bound, autoscaling: settings, ...rest } = spec;
  const next = {
    max: max === undefined ? bound : max,
    autoscaling: autoscaling === undefined ? settings : autoscaling,
  };
  return {
    ...rest,
    ...others,
    ...(next.max === undefined || next.max === null ? {} : { max: next.max }),
    ...(next.autoscaling ? { autoscaling: next.autoscaling } : {}),
  };
}

/** Whether the load of the set decides how many members it has. */
export const isAutoscaled = ({ autoscaling }: Pick<ContainerSetSpec, 'autoscaling'>): boolean =>
  autoscaling?.enabled === true;

/** The members of a profile that a set replaces for its containers. */
export type SetOverrides = Partial<ContainerContents>;

/** What the containers of a set are made from: a profile as it was, and what the set replaces in it. */
export interface SetSource {
  readonly profileId: string;
  readonly profileRevision: number;
  readonly profile: ContainerContents;
  readonly hostNode?: string;
  readonly overrides: SetOverrides;
}

/** A numbered source: containers of one revision are alike. A restart makes a further revision of the same source. */
export interface SetRevision extends SetSource {
  readonly revision: number;
}

/** Returns what a container of this source runs. */
export const contentsFrom = ({ profile, overrides }: SetSource): ContainerContents => ({ ...profile, ...overrides });

const ORDINAL = '{ordinal}';

/** Returns the contents of the member with this ordinal, which may have volumes of its own. */
export function memberContents(source: SetSource, ordinal: number): ContainerContents {
  const contents = contentsFrom(source);
  if (!contents.volumes.some(({ name }) => name.includes(ORDINAL))) return contents;
  const volumes = contents.volumes.map(v => ({ ...v, name: v.name.replaceAll(ORDINAL, String(ordinal)) }));
  return { ...contents, volumes };
}

/** Returns whether a successor can run beside its predecessor: neither has a volume, port or address that only one can hold. */
export function canSurge(source: SetSource): boolean {
  const { volumes, ports, network } = contentsFrom(source);
  const ownVolume = volumes.some(({ name }) => name.includes(ORDINAL));
  const fixedPort = ports.some(({ hostPort = 0 }) => hostPort > 0);
  return !ownVolume && !fixedPort && network?.ipv4 === undefined;
}

/** Returns how many members may exist above the desired number and how many may be missing. Without surge, at least one may be missing. */
export function setBounds(
  { desired, updateStrategy }: ContainerSetSpec,
  surges: boolean,
): { readonly surge: number; readonly unavailable: number } {
  const { surge, unavailable } = updateBounds(updateStrategy, desired);
  return surges || surge === 0 ? { surge, unavailable } : { surge: 0, unavailable: Math.max(1, unavailable) };
}

/** Returns every rule that the specification breaks. `moved`: the members that the request gives. */
export function setSpecProblems(
  { desired, min, max = Infinity, updateStrategy, backoff }: ContainerSetSpec,
  moved: ReadonlySet<string>,
): readonly Problem[] {
  const bound = (own: 'min' | 'max', code: string, other: string): Problem =>
    moved.has('desired') || !moved.has(own)
      ? { pointer: '/desired', code, detail: `desired is ${own === 'min' ? 'below min' : 'above max'}` }
      : { pointer: `/${own}`, code: other, detail: `the set has ${counted(desired, 'member')}; resize it first` };
  return [
    ...(min > max ? [{ pointer: '/min', code: 'min-above-max', detail: 'min is above max' }] : []),
    ...(desired < min ? [bound('min', 'below-min', 'desired-below-min')] : []),
    ...(desired > max ? [bound('max', 'above-max', 'desired-above-max')] : []),
    ...strategyProblems(updateStrategy, '/updateStrategy'),
    ...(backoff.baseSeconds > backoff.maxSeconds
      ? [{ pointer: '/backoff/baseSeconds', code: 'base-above-max', detail: 'baseSeconds is above maxSeconds' }]
      : []),
  ];
}

/**
 * Returns the rules that the contents break as those of a set: one address is enough for one member only, and members of a set that follows its
 * load have a limit of what it follows.
 */
export function setContentProblems(
  source: SetSource,
  { max, autoscaling }: Pick<ContainerSetSpec, 'max' | 'autoscaling'>,
): readonly Problem[] {
  const { network, resources } = contentsFrom(source);
  const given = source.overrides.network ? '/overrides/network/ipv4' : '/profile';
  const detail = 'an address belongs to one container: max must be 1';
  return [
    ...(network?.ipv4 === undefined || max === 1 ? [] : [{ pointer: given, code: 'address-needs-max-1', detail }]),
    ...ownRuleProblems(source.overrides, '/overrides'),
    ...(autoscaling ? autoscalingProblems(autoscaling, { max, limits: resources }) : []),
  ];
}
