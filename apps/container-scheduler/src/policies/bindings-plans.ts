import { Injectable } from '@nestjs/common';
import { effectivePolicies, type PolicyBindings } from '@stave/domain';
import { PolicyProjection, ResourceRegistry } from '@stave/service-kit';
import { PolicyLookup } from './policy.lookup.js';
import { PolicyOutlook } from './policy-outlook.js';

/** What plans show of attachments. */
@Injectable()
export class BindingsPlans {
  constructor(
    private readonly projection: PolicyProjection,
    private readonly lookup: PolicyLookup,
    registry: ResourceRegistry,
    outlook: PolicyOutlook,
  ) {
    registry.describe<PolicyBindings>('policyBindings', {
      type: 'policyBindings',
      show: state => this.planned(state),
      outlook: ({ after }) => outlook.ofBindings(after),
    });
  }

  /** Returns the attachments of a target and what they result in, for the diff of a plan. */
  private planned({ target, attachments }: PolicyBindings) {
    if (!target) return undefined;
    const attached = [...attachments.values()].flatMap(attachment => {
      const { policyId } = attachment;
      const policy = this.projection.policies.get(policyId);
      return policy ? [{ policyId, policy, target, attachment }] : [];
    });
    const shown = attached.map(({ attachment: { policyId, enabled, priority } }) => ({ policyId, enabled, priority }));
    // what contains the target counts too
    const { type, id } = target;
    const clusterId = type === 'cluster' ? undefined : this.lookup.clusterOf(target);
    const above = clusterId === undefined ? [] : this.projection.attachedTo(clusterId);
    return { id, attachments: shown, effective: effectivePolicies([...attached, ...above]) };
  }
}
