import type { PolicyState } from './policy.js';
import type { Attachment } from './policy-bindings.js';
import {
  policyDefaults,
  type AffinityProperties,
  type PlacementProperties,
  type PolicyTarget,
  type PolicyTargetType,
  type PolicyType,
  type ScalingProperties,
} from './policy-types.js';

/** A policy as it is attached to a target. */
export interface AttachedPolicy {
  readonly policyId: string;
  readonly policy: PolicyState;
  readonly target: PolicyTarget;
  readonly attachment: Attachment;
}

/** Where the value of a property comes from. */
export interface PolicySource {
  readonly policyId: string;
  readonly policy: string;
  readonly revision: number;
  readonly target: PolicyTarget;
}

export interface EffectiveProperty {
  readonly value: unknown;
  /** Null for a default. */
  readonly source: PolicySource | null;
}

/**
 * A rule that holds whatever other policies say. `only`: nothing but the listed; `never`: none of the listed; `hard`: hard rules of spread and
 * affinity; `most`: an upper limit.
 */
export interface HardRule {
  readonly property: string;
  readonly rule: 'only' | 'never' | 'hard' | 'most';
  readonly value: unknown;
  readonly source: PolicySource;
}

export interface EffectivePolicy {
  readonly properties: Readonly<Record<string, EffectiveProperty>>;
  /** The hard rules of all levels, which hold together. */
  readonly rules: readonly HardRule[];
}

/** What the policies of one type result in; those of scaling separately by direction. */
export type EffectiveKey = Exclude<PolicyType, 'scaling'> | 'scalingOut' | 'scalingIn';
export type EffectivePolicies = { readonly [K in EffectiveKey]?: EffectivePolicy };

/** The more specific target comes first. */
const levels: Readonly<Record<PolicyTargetType, number>> = { containerSet: 0, nodeGroup: 1, cluster: 2 };

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order in which policies win: the more specific target, the higher priority, the older attachment; at last the id. */
export const byPrecedence = (a: AttachedPolicy, b: AttachedPolicy): number =>
  levels[a.target.type] - levels[b.target.type] ||
  b.attachment.priority - a.attachment.priority ||
  textOrder(a.attachment.attachedAt, b.attachment.attachedAt) ||
  textOrder(a.policyId, b.policyId);

const sourceOf = ({ policyId, policy, target }: AttachedPolicy): PolicySource => ({
  policyId,
  policy: policy.created.name,
  revision: policy.revision,
  target,
});

interface Split {
  /** What the most specific policy decides. */
  readonly chosen: Readonly<Record<string, unknown>>;
  readonly rules: readonly Omit<HardRule, 'source'>[];
}

const nonEmpty = (members: Readonly<Record<string, readonly unknown[] | undefined>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, list]) => list !== undefined && list.length > 0));

/** Splits the properties of a placement policy into hard rules and what other policies may overrule. */
function splitPlacement({
  nodes,
  zones,
  regions,
  spread,
  maxCpuUse,
  maxMemoryUse,
  ...chosen
}: PlacementProperties): Split {
  const rules: Omit<HardRule, 'source'>[] = [];
  const lists: Record<string, unknown> = {};
  for (const [property, list] of Object.entries({ nodes, zones, regions })) {
    if (list === undefined) continue;
    const excluded = list.filter(({ weight }) => weight === 0);
    const allowed = list.filter(({ weight }) => weight !== 0);
    if (excluded.length > 0) rules.push({ property, rule: 'never', value: excluded });
    if (allowed.length === 0) continue;
    lists[property] = allowed;
    if (chosen.strict !== false) rules.push({ property, rule: 'only', value: allowed });
  }
  for (const each of spread ?? [])
    if (each.mode === 'hard') rules.push({ property: 'spread', rule: 'hard', value: each });
  for (const [property, value] of Object.entries({ maxCpuUse, maxMemoryUse }))
    if (value !== undefined) rules.push({ property, rule: 'most', value });
  return {
    chosen: { ...chosen, ...lists, ...nonEmpty({ spread: spread?.filter(({ mode }) => mode === 'soft') }) },
    rules,
  };
}

function splitAffinity({ rules = [] }: AffinityProperties): Split {
  const isHard = ({ mode = 'hard' }: { readonly mode?: string }): boolean => mode === 'hard';
  return {
    chosen: nonEmpty({ rules: rules.filter(rule => !isHard(rule)) }),
    rules: rules.filter(isHard).map(value => ({ property: 'rules', rule: 'hard' as const, value })),
  };
}

function split(type: PolicyType, properties: object): Split {
  if (type === 'placement') return splitPlacement(properties);
  if (type === 'affinity') return splitAffinity(properties);
  return { chosen: { ...properties }, rules: [] };
}

function mergeOne(type: PolicyType, inOrder: readonly AttachedPolicy[]): EffectivePolicy {
  const properties: Record<string, EffectiveProperty> = {};
  const rules: HardRule[] = [];
  for (const attached of inOrder) {
    const source = sourceOf(attached);
    const parts = split(type, attached.policy.properties);
    for (const [name, value] of Object.entries(parts.chosen)) properties[name] ??= { value, source };
    rules.push(...parts.rules.map(rule => ({ ...rule, source })));
  }
  for (const [name, value] of Object.entries(policyDefaults[type])) properties[name] ??= { value, source: null };
  return { properties, rules };
}

const keyOf = ({ policy }: AttachedPolicy): EffectiveKey => {
  const { type } = policy.created;
  if (type !== 'scaling') return type;
  return (policy.properties as ScalingProperties).direction === 'in' ? 'scalingIn' : 'scalingOut';
};

const typeOf = (key: EffectiveKey): PolicyType => (key === 'scalingOut' || key === 'scalingIn' ? 'scaling' : key);

/**
 * Merges the policies that are attached to a target and to what contains it. Disabled attachments and deleted policies count for nothing.
 * Hard rules of all levels hold together; of every other property the most specific policy decides that has it.
 */
export function effectivePolicies(attached: readonly AttachedPolicy[]): EffectivePolicies {
  const groups = new Map<EffectiveKey, AttachedPolicy[]>();
  const counting = attached.filter(({ attachment, policy }) => attachment.enabled && !policy.deleted);
  for (const each of counting.sort(byPrecedence)) {
    const key = keyOf(each);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return Object.fromEntries([...groups].map(([key, group]) => [key, mergeOne(typeOf(key), group)]));
}
