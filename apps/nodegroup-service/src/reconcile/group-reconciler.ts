import {
  accept,
  blockedBy,
  blockNode,
  declareNode,
  endsWhenBlocked,
  memberView,
  reconcileNodeGroup,
  removalFor,
  removeNode,
  unregisterGroup,
  type Member,
  type MemberView,
  type NodeGroupState,
  type NodeState,
  type ReconcileInput,
} from '@stave/domain';
import type { EventContext } from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import type { NodeGroupModels } from '../nodegroup-models.js';

const MAX_ROUNDS = 25;
const PARALLEL = 64;

function contextOf(state: NodeGroupState, operationId: string): EventContext {
  const { id, projectId, clusterId } = state.declared ?? { id: '', projectId: '', clusterId: '' };
  return { correlationId: operationId || id, project: projectId, clusterId, ...(operationId ? { operationId } : {}) };
}

/** Something is to be done in its stream. */
function isOpen(member: Member, node: NodeState | undefined, blocked: string | undefined): boolean {
  if (!node?.declared || (blocked !== undefined && endsWhenBlocked(node))) return true;
  const removal = removalFor(node, member.operationId);
  return member.leaving && !node.deleted && (removal === 'none' || removal === 'given up for another');
}

/** Brings a node group nearer to what is asked for: membership in its own stream first, then each member's stream. */
export class GroupReconciler {
  constructor(private readonly models: NodeGroupModels) {}

  async reconcile(id: string): Promise<void> {
    if (!this.models.groups.get(id)?.declared) return;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.unregister(id);
      const { position } = await this.models.groups.settle(
        id,
        state => {
          const blocked = this.blocked(state);
          const input: ReconcileInput = {
            nodes: node => this.view(node),
            freshIds: n => Array.from({ length: n }, () => uuidv7()),
            ...(blocked === undefined ? {} : { blocked }),
            paused: this.isPaused(state),
          };
          return accept(...reconcileNodeGroup(state, input));
        },
        state => contextOf(state, state.lastOperationId),
      );
      if (position === undefined) break;
    }
    const group = this.models.groups.get(id);
    if (group && !this.isPaused(group)) await this.settleMembers(id);
  }

  private view(id: string): MemberView | undefined {
    const node = this.models.nodes.get(id);
    return node?.declared ? memberView(node) : undefined;
  }

  /** Why nothing can be built in its cluster now. */
  private blocked({ declared }: NodeGroupState): string | undefined {
    const cluster = this.models.clusters.get(declared?.clusterId ?? '');
    return cluster && blockedBy(cluster);
  }

  private isPaused({ declared }: NodeGroupState): boolean {
    return this.models.clusters.get(declared?.clusterId ?? '')?.paused ?? false;
  }

  private async settleMembers(id: string): Promise<void> {
    const group = this.models.groups.get(id);
    if (!group) return;
    const blocked = this.blocked(group);
    const open = [...group.members.values()].filter(m => isOpen(m, this.models.nodes.get(m.id), blocked));
    for (let i = 0; i < open.length; i += PARALLEL) {
      await Promise.all(open.slice(i, i + PARALLEL).map(m => this.settleMember(group, m)));
    }
  }

  private async settleMember(group: NodeGroupState, member: Member): Promise<void> {
    const { declared, spec } = group;
    if (!declared || !spec) return;
    const context = contextOf(group, member.operationId);
    const { id, ordinal, zone, region } = member;
    const { role, flavor, image, dataVolumeGb, labels, taints, options } = spec;
    await this.models.nodes.settle(
      id,
      state =>
        state.declared
          ? accept()
          : declareNode({
              id,
              nodeGroupId: declared.id,
              clusterId: declared.clusterId,
              projectId: declared.projectId,
              name: `${declared.name}-${ordinal}`,
              groupName: declared.name,
              ordinal,
              ...(zone === undefined ? {} : { zone }),
              ...(region === undefined ? {} : { region }),
              spec: {
                role,
                flavor,
                labels,
                taints,
                options,
                ...(image === undefined ? {} : { image }),
                ...(dataVolumeGb === undefined ? {} : { dataVolumeGb }),
              },
              operationId: member.operationId,
            }),
      context,
    );
    if (member.leaving)
      await this.models.nodes.settle(id, state => removeNode(state, member.reason, member.operationId), context);
    const blocked = this.blocked(group);
    if (blocked !== undefined) await this.models.nodes.settle(id, state => blockNode(state, blocked), context);
  }

  /** Before its deletion is told: whoever waited for that finds the name free. No node comes to a group that is being deleted. */
  private async unregister(id: string): Promise<void> {
    const group = this.models.groups.get(id);
    const clusterId = group?.declared?.clusterId;
    if (!group?.deleting || group.members.size > 0 || clusterId === undefined) return;
    const registered = this.models.registry.get(clusterId)?.groups.has(id);
    if (!registered) return;
    await this.models.registry.execute(
      clusterId,
      state => unregisterGroup(state, id),
      contextOf(group, group.lastOperationId),
    );
  }
}
