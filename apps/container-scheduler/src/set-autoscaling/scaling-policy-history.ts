import { Inject, Injectable } from '@nestjs/common';
import {
  effectivePolicies,
  instantMs,
  noBindings,
  omitUndefined,
  policyBindingsStream,
  policyStream,
  scalingPolicyOf,
  type AttachedPolicy,
  type PoliciesFrom,
  type PolicyBindings,
  type PolicyBindingsEvent,
  type PolicyEvent,
  type PolicyState,
} from '@stave/domain';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '@stave/service-kit';

const CATEGORY = policyBindingsStream.category;

/** The policies that scaled a container set in the past, from the log. */
@Injectable()
export class ScalingPolicyHistory {
  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  /** Resolves to what was in force from each change on, in order. The cost is that of the changes of the set's own policies. */
  async of(setId: string, to: number): Promise<readonly PoliciesFrom[]> {
    const own = await this.store.readStream(`${CATEGORY}-${setId}`);
    const policies = await Promise.all([...scalingIn(own)].map(id => this.store.readStream(`policy-${id}`)));
    const past = new Past();
    return [...own, ...policies.flat()]
      .filter(({ metadata }) => instantMs(metadata.time) <= to)
      .sort((a, b) => a.position - b.position)
      .map(event => {
        past.apply(event);
        return { from: instantMs(event.metadata.time), policies: past.scaling() };
      });
  }
}

/** Returns the ids of the policies of scaling that were ever attached. */
function scalingIn(events: readonly RecordedEvent[]): ReadonlySet<string> {
  const attached = events.map(event => event as unknown as PolicyBindingsEvent);
  return new Set(
    attached.flatMap(({ type, data }) =>
      type === 'PolicyAttached' && data.policyType === 'scaling' ? [data.policyId] : [],
    ),
  );
}

class Past {
  private bindings: PolicyBindings = noBindings;
  private readonly policies = new Map<string, PolicyState>();

  apply(event: RecordedEvent): void {
    const { time } = event.metadata;
    if (event.stream.startsWith(`${CATEGORY}-`)) {
      this.bindings = policyBindingsStream.evolve(this.bindings, event as unknown as PolicyBindingsEvent, time);
      return;
    }
    const id = idOf(event);
    const policy = policyStream.evolve(this.policies.get(id), event as unknown as PolicyEvent, time);
    if (policy) this.policies.set(id, policy);
  }

  scaling(): PoliciesFrom['policies'] {
    const { target, attachments } = this.bindings;
    const attached = [...attachments.values()].flatMap((attachment): readonly AttachedPolicy[] => {
      const policy = this.policies.get(attachment.policyId);
      return target && policy ? [{ policyId: attachment.policyId, policy, target, attachment }] : [];
    });
    const effective = effectivePolicies(attached);
    return omitUndefined({ out: scalingPolicyOf(effective, 'out'), in: scalingPolicyOf(effective, 'in') });
  }
}
