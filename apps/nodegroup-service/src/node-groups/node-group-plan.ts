import { Injectable } from '@nestjs/common';
import {
  memberView,
  nodeBuildBlocker,
  omitUndefined,
  planGroup,
  unsettledGroup,
  type GroupEffect,
  type GroupPlanInput,
  type NodeGroupEvent,
  type NodeGroupState,
} from '@stave/domain';
import type { PlannedEffect, PlannedResource } from '@stave/service-kit';
import { GroupPolicyLookup } from '../fleet/group-policy.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { RemovalOrders } from '../fleet/removal-orders.js';

/** Predicts what the reconcilers do to the nodes of a group after a change. */
@Injectable()
export class NodeGroupPlans {
  readonly plan: ReturnType<typeof nodeGroupPlan>;

  constructor(projection: FleetProjection, policies: GroupPolicyLookup, orders: RemovalOrders) {
    this.plan = nodeGroupPlan(projection, policies, orders);
  }
}

const nodeGroupPlan = (
  projection: FleetProjection,
  policies: GroupPolicyLookup,
  orders: RemovalOrders,
): Pick<PlannedResource<NodeGroupState>, 'parts' | 'size' | 'unsettled'> => ({
  async *parts(effect) {
    const removalOrder = await orders.of(effect.after);
    yield* planGroup(groupEffect(effect), {
      ...planInput(projection, policies, effect.after),
      ...omitUndefined({ removalOrder }),
    });
  },
  size: ({ after: { members, spec } }) => Math.max(members.size, spec.count),
  unsettled: effect => unsettledGroup(groupEffect(effect), planInput(projection, policies, effect.after)),
});

/** The events are of a node group's stream. */
const groupEffect = ({ before, after, events }: PlannedEffect<NodeGroupState>): GroupEffect => ({
  before,
  after,
  events: events as readonly NodeGroupEvent[],
});

function planInput(
  { clusters, nodes, heldVolumes }: FleetProjection,
  policies: GroupPolicyLookup,
  group: NodeGroupState,
): GroupPlanInput {
  const { declared, metadataGeneration } = group;
  const cluster = clusters.get(declared.clusterId);
  const blocked = cluster && nodeBuildBlocker(cluster);
  const view: GroupPlanInput['nodes'] = id => {
    const node = nodes.get(id);
    return node ? memberView(node, metadataGeneration) : undefined;
  };
  // in a plan nothing fails and no time passes: only the choice of nodes that leave depends on policies
  const { deletion } = policies.of(group);
  const given = {
    policies: omitUndefined({ deletion }),
    holdsData: (id: string): boolean => heldVolumes.holds(id),
  };
  return { nodes: view, ...given, paused: cluster?.paused ?? false, ...omitUndefined({ blocked }) };
}
