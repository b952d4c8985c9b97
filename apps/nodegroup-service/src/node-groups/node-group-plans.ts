import {
  nodeBuildBlocker,
  memberView,
  planGroup,
  planNode,
  unsettledGroup,
  type GroupEffect,
  type GroupPlanInput,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import type { DryRunHandler, PlannedEffect } from '@stave/service-kit';
import { nodeGroupFields } from './node-group.document.js';
import { nodeFields } from '../nodes/node.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** What plans say of node groups and nodes. */
export function describePlans(plans: DryRunHandler, models: NodeGroupModels): void {
  plans.describe<NodeGroupState>('nodeGroup', {
    type: 'nodeGroup',
    show: state => (state.declared && !state.deleted ? nodeGroupFields(state) : undefined),
    steps: effect => planGroup(groupEffect(effect), surroundings(models, effect.after)),
    unsettled: effect => unsettledGroup(groupEffect(effect), surroundings(models, effect.after)),
  });
  plans.describe<NodeState>('node', {
    type: 'node',
    show: state => (state.declared && !state.deleted ? nodeFields(state) : undefined),
    steps: planNode,
  });
}

/** The events are of a group's stream. */
const groupEffect = ({ before, after, events }: PlannedEffect<NodeGroupState>): GroupEffect => ({
  before,
  after,
  events: events as readonly NodeGroupEvent[],
});

function surroundings(models: NodeGroupModels, { declared, metadataGeneration }: NodeGroupState): GroupPlanInput {
  const cluster = models.clusters.get(declared?.clusterId ?? '');
  const blocked = cluster && nodeBuildBlocker(cluster);
  const nodes: GroupPlanInput['nodes'] = id => {
    const node = models.nodes.get(id);
    return node?.declared ? memberView(node, metadataGeneration) : undefined;
  };
  return { nodes, ...(blocked === undefined ? {} : { blocked }), paused: cluster?.paused ?? false };
}
