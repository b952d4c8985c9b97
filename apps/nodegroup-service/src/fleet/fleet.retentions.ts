import {
  type ClusterGroupsState,
  type ClusterState,
  type MachineState,
  type NodeGroupState,
  type NodeGroupTemplateState,
  type NodeState,
} from '@stave/domain';
import { retention, type ResourceModel, type Retention } from '@stave/service-kit';
import type { AwaitedGroups } from './awaited-groups.js';
import type { ManagerStages } from './manager-stages.js';
import type { MachinePool } from './machine-pool.js';
import type { Evictions } from './evictions.js';
import type { ScaleProposals } from './scale-proposals.js';

interface FleetModels {
  readonly nodes: ResourceModel<NodeState>;
  readonly machines: ResourceModel<MachineState>;
  readonly groups: ResourceModel<NodeGroupState>;
  readonly clusters: ResourceModel<ClusterState>;
  readonly registry: ResourceModel<ClusterGroupsState, never>;
  readonly groupTemplates: ResourceModel<NodeGroupTemplateState>;
  groupsOf(clusterId: string): readonly string[];
}

/** What is kept by id beside the models. */
interface KeptBeside {
  readonly evictions: Evictions;
  readonly proposals: ScaleProposals;
  /** By the id of a node group or cluster, and by `attributesOf` a node group. */
  readonly changedAt: Map<string, number>;
  readonly managerStages: ManagerStages;
  readonly awaited: AwaitedGroups;
  readonly machinePool: MachinePool;
}

export const attributesOf = (groupId: string): string => `attributes-${groupId}`;

/** Groups that a living cluster was created with stay: without them they would count as not yet created. */
export function fleetRetentions(
  models: FleetModels,
  { evictions, proposals, changedAt, managerStages, awaited, machinePool }: KeptBeside,
): Retention[] {
  const { nodes, machines, groups, clusters, registry, groupTemplates } = models;
  return [
    retention(nodes, {
      isDone: (id, node) =>
        groups.get(node?.declared.nodeGroupId ?? '')?.members.has(id) !== true &&
        machinePool.claimedFor(id) === undefined,
      forget: id => {
        evictions.forgetNode(id);
        machinePool.noteNode(id, undefined);
      },
    }),
    retention(groups, {
      isDone: id => !awaited.isDeclared(id),
      forget: id => {
        proposals.forget(id);
        changedAt.delete(id);
        changedAt.delete(attributesOf(id));
      },
    }),
    retention(clusters, {
      isDone: id => models.groupsOf(id).length === 0,
      forget: (id, cluster) => {
        if (cluster) awaited.forget(cluster);
        registry.forget(id);
        changedAt.delete(id);
        managerStages.note(id, undefined);
        evictions.forgetCluster(id);
      },
    }),
    retention(groupTemplates),
    retention(machines, { forget: id => void machinePool.noteMachine(id, undefined) }),
  ];
}
