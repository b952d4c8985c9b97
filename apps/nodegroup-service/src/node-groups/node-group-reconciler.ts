import {
  abandonNode,
  accept,
  nodeBuildBlocker,
  blockNode,
  declarationOf,
  declareNode,
  isCreationBlocked,
  isAbandonable,
  memberView,
  reconcileNodeGroup,
  removalFor,
  removeNode,
  stepOperation,
  acceptsRollout,
  acceptsMetadataUpdate,
  requestNodeRollout,
  unregisterGroup,
  updateNodeMetadata,
  type Member,
  type MemberView,
  type NodeGroupState,
  type NodeState,
  type ReconcileInput,
} from '@stave/domain';
import { causedBy, type EventContext } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import type { NodeGroupModels } from '../nodegroup-models.js';

const MAX_ROUNDS = 25;
const PARALLEL = 64;

function contextOf(state: NodeGroupState, operationId: string): EventContext {
  const { id, projectId, clusterId } = state.declared ?? { id: '', projectId: '', clusterId: '' };
  return { correlationId: operationId || id, project: projectId, clusterId, ...(operationId ? { operationId } : {}) };
}

/** Something is to be done in its stream. */
function isOpen(group: NodeGroupState, member: Member, node: NodeState | undefined, blocked?: string): boolean {
  if (!node?.declared || (blocked !== undefined && isCreationBlocked(node))) return true;
  if (isForced(group, member) && isAbandonable(node)) return true;
  if (!member.leaving)
    return acceptsMetadataUpdate(node, group.metadataGeneration, group.lastOperationId) || mayTurn(group, member, node);
  const removal = removalFor(node, member.operationId);
  return member.leaving && !node.deleted && (removal === 'none' || removal === 'given up for another');
}

const mayTurn = ({ rollout }: NodeGroupState, { rolloutId }: Member, node: NodeState): boolean =>
  rolloutId !== undefined && rolloutId === rollout?.id && acceptsRollout(node, rolloutId);

/** What cannot be removed is given up. */
const isForced = (group: NodeGroupState, { leaving, forced }: Member): boolean =>
  leaving && (forced === true || group.forced === true);

/** Brings a node group nearer to what is asked for: membership in its own stream first, then each member's stream. */
export class NodeGroupReconciler {
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
            nodes: node => this.view(node, state.metadataGeneration),
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

  private view(id: string, metadataGeneration: number): MemberView | undefined {
    const node = this.models.nodes.get(id);
    return node?.declared ? memberView(node, metadataGeneration) : undefined;
  }

  /** Why nothing can be built in its cluster now. */
  private blocked({ declared }: NodeGroupState): string | undefined {
    const cluster = this.models.clusters.get(declared?.clusterId ?? '');
    return cluster && nodeBuildBlocker(cluster);
  }

  private isPaused({ declared }: NodeGroupState): boolean {
    return this.models.clusters.get(declared?.clusterId ?? '')?.paused ?? false;
  }

  private async settleMembers(id: string): Promise<void> {
    const group = this.models.groups.get(id);
    if (!group) return;
    const blocked = this.blocked(group);
    const open = [...group.members.values()].filter(m => isOpen(group, m, this.models.nodes.get(m.id), blocked));
    for (let i = 0; i < open.length; i += PARALLEL) {
      await Promise.all(open.slice(i, i + PARALLEL).map(m => this.settleMember(group, m)));
    }
  }

  private async settleMember(group: NodeGroupState, member: Member): Promise<void> {
    const { nodes } = this.models;
    const declaration = declarationOf(group, member);
    if (!declaration) return;
    const { id, operationId, reason, leaving } = member;
    const context = this.contextOf(group, operationId);
    await nodes.settle(id, state => (state.declared ? accept() : declareNode(declaration)), context);
    if (isForced(group, member)) await nodes.settle(id, abandonNode, context);
    if (leaving) await nodes.settle(id, state => removeNode(state, reason, operationId), context);
    else await this.askMember(group, member);
    const blocked = this.blocked(group);
    if (blocked !== undefined) await this.models.nodes.settle(id, state => blockNode(state, blocked), context);
  }

  /** Its turn, and labels and taints that it does not have yet. */
  private async askMember(group: NodeGroupState, { id, rolloutId }: Member): Promise<void> {
    const { nodes } = this.models;
    const { spec, rollout, metadataGeneration, lastOperationId } = group;
    const context = this.contextOf(group, stepOperation(group));
    if (rollout && rolloutId === rollout.id) {
      const request = { rolloutId, kind: rollout.kind, operationId: stepOperation(group) };
      await nodes.settle(id, state => requestNodeRollout(state, request), context);
    }
    if (!spec) return;
    const wanted = { metadataGeneration, labels: spec.labels, taints: spec.taints };
    await nodes.settle(
      id,
      state => updateNodeMetadata(state, wanted, lastOperationId),
      this.contextOf(group, lastOperationId),
    );
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
      this.contextOf(group, group.lastOperationId),
    );
  }

  /** Of what follows in other streams from what happened to the group. */
  private contextOf(group: NodeGroupState, operationId: string): EventContext {
    return { ...contextOf(group, operationId), ...causedBy(this.models.groups.entry(group.declared?.id ?? '')) };
  }
}
