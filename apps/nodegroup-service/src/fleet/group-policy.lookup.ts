import { Injectable } from '@nestjs/common';
import {
  effectivePolicies,
  groupPoliciesOf,
  type EffectivePolicies,
  type GroupPolicies,
  type NodeGroupState,
} from '@stave/domain';
import { PolicyProjection, ResourceRegistry } from '@stave/service-kit';
import { FleetProjection } from './fleet.projection.js';

/** The policies of node groups, folded from the streams of policies and attachments as in every service that decides by them. */
@Injectable()
export class GroupPolicyLookup {
  constructor(
    private readonly policies: PolicyProjection,
    projection: FleetProjection,
    registry: ResourceRegistry,
  ) {
    registry.follow(policies);
    // the policies of a cluster count for its groups, too
    registry.on('cluster', (id, event) => {
      if (!event.stream.startsWith('policy')) return;
      for (const group of projection.groupsOf(id)) registry.changed('node-group', group, event);
    });
  }

  /** Returns what the policies of the group and of its cluster result in. */
  effective({ declared }: NodeGroupState): EffectivePolicies {
    return effectivePolicies(this.policies.attachedTo(declared.id, declared.clusterId));
  }

  of(group: NodeGroupState): GroupPolicies {
    return groupPoliciesOf(this.effective(group));
  }
}
