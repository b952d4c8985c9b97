import type { Problem } from '../kernel/decider.js';
import type { HealthProperties, PolicyTargetType, PolicyType } from './policy-types.js';

type Targets = readonly PolicyTargetType[];

const BOTH: Targets = ['containerSet', 'cluster'];
const OWNERS: Targets = ['containerSet', 'nodeGroup'];
const ALL: Targets = ['containerSet', 'cluster', 'nodeGroup'];

/**
 * The members of properties that take effect, with the targets where they do. `zones[].name` is the member `name` of each entry of `zones`.
 * A member that is not listed is refused, so that none is accepted and ignored; a test shows the effect of each that is.
 */
export const policyEffects: { readonly [T in PolicyType]: Readonly<Record<string, Targets>> } = {
  placement: {
    'nodes[].node': BOTH,
    'nodes[].weight': BOTH,
    'zones[].name': BOTH,
    'zones[].region': BOTH,
    'zones[].weight': BOTH,
    'regions[].name': BOTH,
    'regions[].weight': BOTH,
    strict: BOTH,
    'scorers.leastCpu': BOTH,
    'scorers.leastMemory': BOTH,
    'scorers.leastCpuUse': BOTH,
    'scorers.leastMemoryUse': BOTH,
    'scorers.spread': BOTH,
    'scorers.pack': BOTH,
    'scorers.random': BOTH,
    'scorers.affinity': BOTH,
    'scorers.untainted': BOTH,
    maxCpuUse: BOTH,
    maxMemoryUse: BOTH,
    windowSeconds: BOTH,
    whenUnknown: BOTH,
    'spread[].by': BOTH,
    'spread[].mode': BOTH,
    'spread[].maxSkew': BOTH,
  },
  affinity: {
    'rules[].kind': BOTH,
    'rules[].by': BOTH,
    'rules[].with.set': BOTH,
    'rules[].with.labels': BOTH,
    'rules[].mode': BOTH,
    'rules[].weight': BOTH,
    'rules[].maxPer': BOTH,
  },
  scaling: {
    direction: OWNERS,
    'adjustment.type': OWNERS,
    'adjustment.number': OWNERS,
    'adjustment.minStep': OWNERS,
    'adjustment.bestEffort': OWNERS,
    cooldownSeconds: OWNERS,
  },
  deletion: {
    criteria: OWNERS,
    byZone: OWNERS,
    graceSeconds: OWNERS,
    'hook.timeoutSeconds': OWNERS,
    'hook.onTimeout': OWNERS,
    'hook.url': OWNERS,
  },
  health: {
    'detect[]': ALL,
    unhealthyAfterSeconds: ALL,
    'actions[].do': ALL,
    'actions[].attempts': ALL,
    maxUnhealthy: ALL,
  },
  batch: { maxBatch: OWNERS, pauseSeconds: OWNERS, stopOnFailure: OWNERS },
};

/** Members whose own members are names that users choose. */
const maps: ReadonlySet<string> = new Set(['rules[].with.labels']);

/** Returns each member that a value has, with its JSON pointer and its path in {@link policyEffects}. */
function membersIn(value: unknown, path = '', pointer = ''): { readonly path: string; readonly pointer: string }[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => membersIn(each, `${path}[]`, `${pointer}/${i}`));
  if (typeof value !== 'object' || value === null || maps.has(path)) return [{ path, pointer }];
  return Object.entries(value).flatMap(([name, member]) =>
    membersIn(member, path === '' ? name : `${path}.${name}`, `${pointer}/${name}`),
  );
}

/** Lists the members that take effect nowhere. Pointers are in the request that creates or changes the policy. */
export const membersWithoutEffect = (type: PolicyType, properties: object): readonly Problem[] =>
  membersIn(properties).flatMap(({ path, pointer }) =>
    (policyEffects[type][path] ?? []).length > 0
      ? []
      : [
          {
            pointer: `/properties${pointer}`,
            code: 'no-effect-yet',
            detail: `${path} of ${type} policies has no effect in this release`,
          },
        ],
  );

/** The actions of health policies that cannot be done with what these targets have. */
const otherActions: { readonly [T in PolicyTargetType]?: ReadonlySet<string> } = {
  containerSet: new Set(['reboot', 'rebuild']),
  nodeGroup: new Set(['restart', 'recreate']),
};

function actionsWithoutEffectOn(properties: HealthProperties, target: PolicyTargetType): readonly Problem[] {
  const others = otherActions[target];
  return (properties.actions ?? []).flatMap(({ do: action }, i) =>
    others?.has(action)
      ? [
          {
            pointer: `/properties/actions/${i}/do`,
            code: 'no-effect-here',
            detail: `${action} cannot be done with this type of target`,
          },
        ]
      : [],
  );
}

/** Lists the members that do not take effect on targets of this type, although they do on others. */
export const membersWithoutEffectOn = (
  type: PolicyType,
  properties: object,
  target: PolicyTargetType,
): readonly Problem[] => [
  ...(type === 'health' ? actionsWithoutEffectOn(properties, target) : []),
  ...membersIn(properties).flatMap(({ path, pointer }) =>
    (policyEffects[type][path] ?? []).includes(target)
      ? []
      : [
          {
            pointer: `/properties${pointer}`,
            code: 'no-effect-here',
            detail: `${path} of ${type} policies has no effect on this type of target in this release`,
          },
        ],
  ),
];
