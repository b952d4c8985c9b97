import {
  accept,
  declarationOf,
  declareNode,
  memberView,
  reconcileNodeGroup,
  removalFor,
  removeNode,
  acceptsRollout,
  acceptsMetadataUpdate,
  requestNodeRollout,
  unregisterGroup,
  updateNodeMetadata,
  type MemberView,
} from '@stave/domain';
import type { Member, NodeGroupState, NodeState } from '@stave/domain';
import type { Models } from './models.js';

/** nodegroup-service's group reconciler over the same deciders. */
export class NodeGroupReconciler {
  constructor(
    private readonly models: Models,
    private readonly freshId: () => string,
  ) {}

  reconcile(id: string): void {
    if (!this.models.groups.get(id)?.declared) return;
    const freshIds = (n: number): string[] => Array.from({ length: n }, () => this.freshId());
    this.models.groups.execute(
      id,
      state =>
        accept(...reconcileNodeGroup(state, { nodes: node => this.view(node, state.metadataGeneration), freshIds })),
      () => this.settle(id),
    );
  }

  private view(id: string, metadataGeneration: number): MemberView | undefined {
    const node = this.models.nodes.get(id);
    if (!node?.declared) return undefined;
    return memberView(node, metadataGeneration);
  }

  private settle(id: string): void {
    const group = this.models.groups.get(id);
    if (!group) return;
    for (const member of group.members.values()) {
      const node = this.models.nodes.get(member.id);
      if (!node?.declared || isDue(group, member, node)) this.settleMember(group, member);
    }
    const clusterId = group.declared?.clusterId;
    if (group.deleted && clusterId !== undefined && this.models.registry.get(clusterId)?.groups.has(id))
      this.models.registry.execute(clusterId, state => unregisterGroup(state, id));
  }

  private settleMember(group: NodeGroupState, member: Member): void {
    const declaration = declarationOf(group, member);
    if (!declaration) return;
    const { id, reason, operationId, leaving } = member;
    this.models.nodes.execute(
      id,
      state => (state.declared ? accept() : declareNode(declaration)),
      ({ ok }) => {
        if (!ok) return;
        if (leaving) this.models.nodes.execute(id, state => removeNode(state, reason, operationId));
        else this.ask(group, member);
      },
    );
  }

  private ask({ rollout, spec, metadataGeneration, lastOperationId }: NodeGroupState, { id, rolloutId }: Member): void {
    if (rollout && rolloutId === rollout.id)
      this.models.nodes.execute(id, s =>
        requestNodeRollout(s, { rolloutId, kind: rollout.kind, operationId: rollout.id }),
      );
    const { labels = {}, taints = [] } = spec ?? {};
    this.models.nodes.execute(id, s => updateNodeMetadata(s, { metadataGeneration, labels, taints }, lastOperationId));
  }
}

function isDue(group: NodeGroupState, { leaving, operationId, rolloutId }: Member, node: NodeState): boolean {
  if (leaving) return !node.deleted && ['none', 'given up for another'].includes(removalFor(node, operationId));
  const onTurn = rolloutId !== undefined && rolloutId === group.rollout?.id && acceptsRollout(node, rolloutId);
  return onTurn || acceptsMetadataUpdate(node, group.metadataGeneration, group.lastOperationId);
}
