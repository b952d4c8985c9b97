import {
  accept,
  acceptUnless,
  brokenRules,
  existenceRefusal,
  refuse,
  type Decision,
  type EventOf,
} from '../kernel/decider.js';
import type { Conditional } from '../kernel/operation.js';
import { defineResourceStream } from '../kernel/stream-definition.js';
import { membersWithoutEffectOn } from './policy-effects.js';
import { policyRefusal } from './policy-rules.js';
import type { PolicyProperties, PolicyTarget, PolicyType } from './policy-types.js';

interface PolicyEvents {
  /** A policy was created. It has no effect before it is attached. */
  PolicyCreated: {
    readonly id: string;
    readonly name: string;
    readonly projectId: string;
    readonly type: PolicyType;
    /** The version of the form of the properties. */
    readonly version: string;
    readonly properties: PolicyProperties;
  };
  /** The properties of a policy changed. The next decision about each of its targets uses them. */
  PolicyUpdated: { readonly properties: PolicyProperties };
  /** The policy was deleted. It has no effect on what it was attached to from now on. */
  PolicyDeleted: Record<string, never>;
}

export type PolicyEvent = EventOf<PolicyEvents>;

export interface PolicyState {
  readonly created: Omit<PolicyEvents['PolicyCreated'], 'properties'>;
  readonly properties: PolicyProperties;
  readonly deleted: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const policyStream = defineResourceStream<PolicyState, PolicyEvent, 'PolicyCreated'>(
  'policy',
  {
    PolicyCreated: ({ properties, ...created }, time) => {
      return { created, properties, deleted: false, revision: 1, createdAt: time, updatedAt: time };
    },
  },
  {
    PolicyUpdated: (s, { data }) => ({ ...s, properties: data.properties, revision: s.revision + 1 }),
    PolicyDeleted: s => ({ ...s, deleted: true, revision: s.revision + 1 }),
  },
);

const what = 'the policy';

/** Creates a policy, or refuses with every broken rule. The event is appended with `no_stream`. */
export const createPolicy = (data: PolicyEvents['PolicyCreated']): Decision<PolicyEvent> =>
  acceptUnless(policyRefusal(data.type, data.properties), { type: 'PolicyCreated', data });

interface UpdatePolicy extends Conditional {
  /** Returns the new properties. */
  readonly change: (properties: PolicyProperties) => PolicyProperties;
  /** What the policy is attached to. */
  readonly targets: readonly PolicyTarget[];
}

/** Returns the refusal of properties that take no effect on something that the policy is attached to. */
function withoutEffect(type: PolicyType, properties: PolicyProperties, targets: readonly PolicyTarget[]) {
  const targetTypes = [...new Set(targets.map(target => target.type))];
  const problems = targetTypes.flatMap(target => membersWithoutEffectOn(type, properties, target));
  return problems.length > 0 ? brokenRules(problems) : undefined;
}

/** Changes the properties, which makes a revision. A change without effect results in no event. */
export function updatePolicy(state: PolicyState, { change, targets, ifMatch }: UpdatePolicy): Decision<PolicyEvent> {
  const properties = change(state.properties);
  const { type } = state.created;
  const refusal =
    existenceRefusal(what, state, ifMatch) ??
    policyRefusal(type, properties) ??
    withoutEffect(type, properties, targets);
  if (refusal) return refuse(refusal);
  const same = JSON.stringify(properties) === JSON.stringify(state.properties);
  return same ? accept() : accept({ type: 'PolicyUpdated', data: { properties } });
}

interface DeletePolicy extends Conditional {
  readonly targets: readonly PolicyTarget[];
  /** The attachments end with the policy. */
  readonly detach: boolean;
}

const MOST_TARGETS = 20;

/** Deletes the policy. Refuses with `attached` and the targets while it is attached, unless it is to be detached. */
export function deletePolicy(state: PolicyState, { targets, detach, ifMatch }: DeletePolicy): Decision<PolicyEvent> {
  const refusal = existenceRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  if (targets.length > 0 && !detach) {
    const detail = `the policy is attached to ${targets.length} targets; detach it first, or use ?detach=true`;
    return refuse({ code: 'attached', kind: 'conflict', detail, extra: { targets: targets.slice(0, MOST_TARGETS) } });
  }
  return accept({ type: 'PolicyDeleted', data: {} });
}
