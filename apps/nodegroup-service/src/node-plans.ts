import {
  blockedBy,
  memberView,
  planGroup,
  planNode,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import type { PlanDesk } from '@stave/platform';
import { nodeGroupFields } from './documents/node-group.document.js';
import { nodeFields } from './documents/node.document.js';
import type { NodeGroupModels } from './nodegroup-models.js';

/** What plans say of node groups and nodes. */
export function describePlans(plans: PlanDesk, models: NodeGroupModels): void {
  plans.describe<NodeGroupState>('nodeGroup', {
    type: 'nodeGroup',
    show: state => (state.declared && !state.deleted ? nodeGroupFields(state) : undefined),
    steps: ({ before, after, events }) => {
      const cluster = models.clusters.get(after.declared?.clusterId ?? '');
      const blocked = cluster && blockedBy(cluster);
      const nodes = (id: string) => {
        const node = models.nodes.get(id);
        return node?.declared ? memberView(node, after.tags) : undefined;
      };
      // of a group's stream
      const change = { before, after, events: events as readonly NodeGroupEvent[] };
      return planGroup(change, {
        nodes,
        ...(blocked === undefined ? {} : { blocked }),
        paused: cluster?.paused ?? false,
      });
    },
  });
  plans.describe<NodeState>('node', {
    type: 'node',
    show: state => (state.declared && !state.deleted ? nodeFields(state) : undefined),
    steps: planNode,
  });
}
