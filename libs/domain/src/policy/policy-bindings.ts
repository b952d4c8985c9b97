import {
  accept,
  brokenRules,
  conflict,
  notFound,
  refuse,
  revisionMismatch,
  type Decision,
  type EventOf,
} from '../kernel/decider.js';
import type { Conditional } from '../kernel/operation.js';
import { defineStream } from '../kernel/stream-definition.js';
import { membersWithoutEffectOn } from './policy-effects.js';
import type { PolicyState } from './policy.js';
import { policyTargets, type PolicyTarget, type PolicyType } from './policy-types.js';

interface PolicyBindingsEvents {
  /** A policy was attached to the target. */
  PolicyAttached: {
    readonly policyId: string;
    readonly policyType: PolicyType;
    readonly target: PolicyTarget;
    readonly enabled: boolean;
    /** From 0 to 1000; the higher one wins. */
    readonly priority: number;
  };
  /** The attachment of a policy was enabled, disabled, or has another priority. */
  AttachmentChanged: { readonly policyId: string; readonly enabled: boolean; readonly priority: number };
  /** A policy was detached from the target, or was deleted. */
  PolicyDetached: { readonly policyId: string };
  /** The target was deleted, and every attachment to it ended: those of these policies. */
  PolicyBindingsClosed: { readonly policyIds: readonly string[] };
}

export type PolicyBindingsEvent = EventOf<PolicyBindingsEvents>;

export interface Attachment {
  readonly policyId: string;
  readonly policyType: PolicyType;
  readonly enabled: boolean;
  readonly priority: number;
  /** Counts the changes of the attachment; 1 when it is made. */
  readonly revision: number;
  readonly attachedAt: string;
  readonly updatedAt: string;
}

/** The state of a stream `policyBindings-<targetId>`: the policies that are attached to one target. */
export interface PolicyBindings {
  /** Undefined before the first attachment. */
  readonly target: PolicyTarget | undefined;
  /** By policy, in the order in which they were attached. */
  readonly attachments: ReadonlyMap<string, Attachment>;
  /** The target was deleted. */
  readonly deleted: boolean;
}

export const noBindings: PolicyBindings = { target: undefined, attachments: new Map(), deleted: false };

const withAttachment = (state: PolicyBindings, attachment: Attachment): PolicyBindings => ({
  ...state,
  attachments: new Map(state.attachments).set(attachment.policyId, attachment),
});

export const policyBindingsStream = defineStream<PolicyBindings, PolicyBindingsEvent>('policyBindings', noBindings, {
  PolicyAttached: (s, { data: { target, ...attached } }, time) =>
    withAttachment({ ...s, target }, { ...attached, revision: 1, attachedAt: time, updatedAt: time }),
  AttachmentChanged: (s, { data }, time) => {
    const before = s.attachments.get(data.policyId);
    return before ? withAttachment(s, { ...before, ...data, revision: before.revision + 1, updatedAt: time }) : s;
  },
  PolicyDetached: (s, { data }) => {
    const attachments = new Map(s.attachments);
    attachments.delete(data.policyId);
    return { ...s, attachments };
  },
  PolicyBindingsClosed: s => ({ ...s, attachments: new Map(), deleted: true }),
});

const MAX_POLICIES = 100;

type Result = Decision<PolicyBindingsEvent>;

interface AttachPolicy extends Conditional {
  readonly policyId: string;
  readonly policy: PolicyState;
  readonly target: PolicyTarget;
  readonly enabled: boolean;
  readonly priority: number;
}

/**
 * Attaches a policy, or changes its attachment. Refuses a target that policies of this type do not have, and properties that take no
 * effect there.
 */
export function attachPolicy(state: PolicyBindings, command: AttachPolicy): Result {
  const { policyId, policy, target, enabled, priority, ifMatch } = command;
  const { type } = policy.created;
  if (state.deleted) return refuse(conflict('being-deleted', 'the target is deleted'));
  if (policy.deleted) return refuse(notFound('the policy'));
  if (!policyTargets[type].includes(target.type)) {
    const detail = `${type} policies cannot be attached to this type of target`;
    return refuse(brokenRules([{ pointer: '', code: 'wrong-target', detail }]));
  }
  const without = membersWithoutEffectOn(type, policy.properties, target.type);
  if (without.length > 0) {
    const detail = without.map(problem => problem.detail).join('; ');
    return refuse(brokenRules([{ pointer: '', code: 'no-effect-here', detail }]));
  }
  const before = state.attachments.get(policyId);
  if (ifMatch !== undefined && ifMatch !== (before?.revision ?? 0))
    return refuse(revisionMismatch(ifMatch, before?.revision ?? 0));
  if (!before && state.attachments.size >= MAX_POLICIES)
    return refuse(conflict('too-many-policies', `at most ${MAX_POLICIES} policies can be attached to one target`));
  const values = { policyId, enabled, priority };
  if (!before) return accept({ type: 'PolicyAttached', data: { ...values, policyType: type, target } });
  const isSame = before.enabled === enabled && before.priority === priority;
  return isSame ? accept() : accept({ type: 'AttachmentChanged', data: values });
}

/** Detaches a policy. Refuses with `not-found` where it is not attached. */
export function detachPolicy(state: PolicyBindings, policyId: string, ifMatch?: number): Result {
  const before = state.attachments.get(policyId);
  if (!before) return refuse(notFound('the attachment of this policy'));
  if (ifMatch !== undefined && ifMatch !== before.revision) return refuse(revisionMismatch(ifMatch, before.revision));
  return accept({ type: 'PolicyDetached', data: { policyId } });
}

/** Ends the attachment of a policy that is deleted, where there is one. */
export const endAttachment = (state: PolicyBindings, policyId: string): Result =>
  state.attachments.has(policyId) ? accept({ type: 'PolicyDetached', data: { policyId } }) : accept();

/** Ends all attachments to a target that is deleted. */
export const closeBindings = (state: PolicyBindings): Result =>
  state.deleted || state.target === undefined
    ? accept()
    : accept({ type: 'PolicyBindingsClosed', data: { policyIds: [...state.attachments.keys()] } });
