import { Injectable } from '@nestjs/common';
import {
  abandonNode,
  accept,
  acceptNodeLoss,
  acceptsNodeRepair,
  acceptsMetadataUpdate,
  acceptsRollout,
  answerProposal,
  blockNode,
  declarationOf,
  declareNode,
  groupDeciderOf,
  isAbandonable,
  isCreationBlocked,
  isHeld,
  isLossAccepted,
  memberView,
  nodeBuildBlocker,
  omitUndefined,
  reconcileNodeGroup,
  removalFor,
  removeNode,
  repairNode,
  requestNodeRollout,
  stepOperation,
  unregisterGroup,
  updateNodeMetadata,
  type ClusterState,
  type Decision,
  type GroupDecider,
  type Member,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
  type ReconcileInput,
} from '@stave/domain';
import { AUTOSCALER, causedBy, isQuotaExceeded, operationContext, type EventContext } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { GroupPolicyLookup } from '../fleet/group-policy.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { noteHeld } from '../fleet/node-closings.js';
import { RemovalOrders } from '../fleet/removal-orders.js';
import { isReleaseOpen, NodeReleaseHooks } from './node-release-hooks.js';

const MAX_ROUNDS = 25;
const PARALLEL = 64;
/** Later times are asked for again. */
const LONGEST_WAIT_MS = 60_000;

/** Brings a node group closer to what was requested: first its members in its own stream, then the stream of each member. */
@Injectable()
export class NodeGroupReconciler {
  constructor(
    private readonly projection: FleetProjection,
    private readonly policies: GroupPolicyLookup,
    private readonly orders: RemovalOrders,
    private readonly hooks: NodeReleaseHooks,
  ) {}

  /** Resolves to the milliseconds after which time alone may change the decision. */
  async reconcile(id: string): Promise<number | undefined> {
    const { groups } = this.projection;
    await this.answerProposal(id);
    const known = groups.get(id);
    if (!known || (this.projection.isGrowing(id) && this.blocked(known) === undefined)) return undefined;
    let wakeMs = Infinity;
    let actor: GroupDecider | undefined;
    const held = new Set<string>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.unregister(id);
      const current = groups.get(id);
      const removalOrder = current && (await this.orders.of(current));
      const settled = groups.settle(
        id,
        state => {
          wakeMs = Infinity;
          const wake = (ms: number): void => void (wakeMs = Math.min(wakeMs, ms));
          const decision = this.decideMembers(state, { wake, held, ...omitUndefined({ removalOrder }) });
          actor = decision.ok ? groupDeciderOf(state, decision.events) : undefined;
          return decision;
        },
        state => ({ ...operationContext(state.declared, state.lastOperationId), ...omitUndefined({ actor }) }),
      );
      const { position } = await settled.catch(noteHeld(held));
      if (position === undefined) break;
    }
    const group = groups.get(id);
    if (group && !this.isHeld(group)) await this.reconcileMembers(group);
    return wakeMs === Infinity ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(1, wakeMs - Date.now()));
  }

  /** Answers what the scheduler proposed to the group, once. */
  private async answerProposal(id: string): Promise<void> {
    const { groups, proposals } = this.projection;
    const proposal = proposals.to(id);
    const known = groups.get(id);
    if (!proposal || !known || known.deleted || proposal.sequence <= (known.answered ?? -1)) return;
    const context = { ...operationContext(known.declared, proposal.proposalId), actor: AUTOSCALER };
    const { hook } = this.policies.of(known).deletion ?? {};
    const paused = this.clusterOf(known)?.paused ?? false;
    const held = new Set<string>();
    const holdsData = (nodeId: string): boolean => held.has(nodeId) || this.projection.heldVolumes.holds(nodeId);
    const facts = { now: new Date().toISOString(), paused, holdsData, ...omitUndefined({ hook }) };
    const answer = (quotaLeft: number) =>
      groups.settle(id, state => answerProposal(state, proposal, { ...facts, quotaLeft }), context);
    try {
      await answer(Infinity);
    } catch (error) {
      if (isQuotaExceeded(error)) await answer(0);
      else {
        noteHeld(held)(error);
        await answer(Infinity);
      }
    }
  }

  private isHeld(group: NodeGroupState): boolean {
    const cluster = this.clusterOf(group);
    return cluster !== undefined && isHeld(cluster);
  }

  private decideMembers(
    state: NodeGroupState,
    { held, ...given }: Pick<ReconcileInput, 'wake' | 'removalOrder'> & { readonly held: ReadonlySet<string> },
  ): Decision<NodeGroupEvent> {
    const blocked = this.blocked(state);
    const { nodes } = this.projection;
    const events = reconcileNodeGroup(state, {
      nodes: id => {
        const node = nodes.get(id);
        return node ? memberView(node, state.metadataGeneration) : undefined;
      },
      freshIds: n => Array.from({ length: n }, () => uuidv7()),
      paused: this.isHeld(state),
      policies: this.policies.of(state),
      holdsData: id => held.has(id) || this.projection.heldVolumes.holds(id),
      now: new Date().toISOString(),
      ...given,
      ...omitUndefined({ blocked }),
    });
    return accept(...events);
  }

  private async reconcileMembers(group: NodeGroupState): Promise<void> {
    const { nodes } = this.projection;
    const blocked = this.blocked(group);
    const accepted = this.clusterOf(group)?.lossesAccepted ?? 0;
    const open = [...group.members.values()].filter(m => needsEvents(group, m, nodes.get(m.id), accepted, blocked));
    for (let i = 0; i < open.length; i += PARALLEL)
      await Promise.all(open.slice(i, i + PARALLEL).map(member => this.reconcileMember(group, member, blocked)));
  }

  private async reconcileMember(group: NodeGroupState, member: Member, blocked: string | undefined): Promise<void> {
    const { nodes } = this.projection;
    const { id, operationId, reason, leaving } = member;
    const context = this.contextOf(group, operationId);
    if (!nodes.get(id)) await nodes.create(id, () => declareNode(declarationOf(group, member)), context);
    if (isForced(group, member)) await nodes.settle(id, abandonNode, context);
    const isEmpty = this.projection.evictions.isEmpty(group.declared.clusterId);
    if (leaving) {
      const { graceSeconds } = this.policies.of(group).deletion ?? {};
      const removal = { reason, operationId, isEmpty, ...omitUndefined({ graceSeconds }) };
      await nodes.settle(id, state => removeNode(state, removal), context);
    } else {
      await this.requestChanges(group, member);
      await this.hooks.follow(group, member, context);
    }
    const accepted = this.clusterOf(group)?.lossesAccepted ?? 0;
    if (!leaving) await nodes.settle(id, state => acceptNodeLoss(state, accepted), context);
    if (blocked !== undefined) await nodes.settle(id, state => blockNode(state, blocked), context);
  }

  /** Requests the member's part of a rollout, and the labels, taints and options that it does not have yet. */
  private async requestChanges(group: NodeGroupState, { id, rolloutId, repair }: Member): Promise<void> {
    const { nodes } = this.projection;
    if (repair) {
      const context = this.contextOf(group, repair.operationId);
      await nodes.settle(id, state => repairNode(state, repair), context);
    }
    const { spec, rollout, metadataGeneration, lastOperationId } = group;
    if (rollout && rolloutId === rollout.id) {
      const request = { rolloutId, kind: rollout.kind, operationId: stepOperation(group) };
      const context = this.contextOf(group, stepOperation(group));
      await nodes.settle(id, state => requestNodeRollout(state, request), context);
    }
    const metadata = { metadataGeneration, labels: spec.labels, taints: spec.taints, options: spec.options };
    const context = this.contextOf(group, lastOperationId);
    await nodes.settle(id, state => updateNodeMetadata(state, metadata, lastOperationId), context);
  }

  /** Frees the name of the group before its deletion is recorded, so that clients that waited for the deletion can use the name. */
  private async unregister(id: string): Promise<void> {
    const { groups, registry } = this.projection;
    const group = groups.get(id);
    if (!group?.deleting || group.members.size > 0) return;
    const { clusterId } = group.declared;
    if (!registry.get(clusterId)?.groups.has(id)) return;
    const context = this.contextOf(group, group.lastOperationId);
    await registry.execute(clusterId, state => unregisterGroup(state, id), context);
  }

  private clusterOf({ declared }: NodeGroupState): ClusterState | undefined {
    return this.projection.clusters.get(declared.clusterId);
  }

  /** Returns why nodes of the group cannot be built now; undefined where they can. */
  private blocked(group: NodeGroupState): string | undefined {
    const cluster = this.clusterOf(group);
    return cluster && nodeBuildBlocker(cluster);
  }

  /** Metadata of events in other streams that follow from the last event of the group. */
  private contextOf(group: NodeGroupState, operationId: string): EventContext {
    const entry = this.projection.groups.entry(group.declared.id);
    return { ...operationContext(group.declared, operationId), ...causedBy(entry) };
  }
}

/** Whether something must be appended to the stream of the member. */
function needsEvents(
  group: NodeGroupState,
  member: Member,
  node: NodeState | undefined,
  accepted: number,
  blocked?: string,
): boolean {
  if (!node || (blocked !== undefined && isCreationBlocked(node))) return true;
  if (isForced(group, member) && isAbandonable(node)) return true;
  const removal = removalFor(node, member.operationId);
  if (member.leaving) return !node.deleted && (removal === 'none' || removal === 'failed for another operation');
  const needsUpdate = acceptsMetadataUpdate(node, group.metadataGeneration, group.lastOperationId);
  const needsRepair = member.repair !== undefined && acceptsNodeRepair(node, member.repair.generation);
  if (isReleaseOpen(member, node)) return true;
  return needsRepair || needsUpdate || isLossAccepted(node, accepted) || isInRollout(group, member, node);
}

const isInRollout = ({ rollout }: NodeGroupState, { rolloutId }: Member, node: NodeState): boolean =>
  rolloutId !== undefined && rolloutId === rollout?.id && acceptsRollout(node, rolloutId);

/** Whether the member is removed even where its infrastructure cannot be. */
const isForced = (group: NodeGroupState, { leaving, forced }: Member): boolean =>
  leaving && (forced === true || group.forced === true);
