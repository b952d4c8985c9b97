import {
  accept,
  declareNode,
  memberView,
  reconcileNodeGroup,
  removalFor,
  removeNode,
  unregisterGroup,
  type MemberView,
} from '@stave/domain';
import type { Member, NodeGroupState } from '@stave/domain';
import type { Models } from './models.js';

/** nodegroup-service's group reconciler over the same deciders. */
export class GroupReconciler {
  constructor(
    private readonly models: Models,
    private readonly freshId: () => string,
  ) {}

  reconcile(id: string): void {
    if (!this.models.groups.get(id)?.declared) return;
    const freshIds = (n: number): string[] => Array.from({ length: n }, () => this.freshId());
    this.models.groups.execute(
      id,
      state => accept(...reconcileNodeGroup(state, { nodes: node => this.view(node), freshIds })),
      () => this.settle(id),
    );
  }

  private view(id: string): MemberView | undefined {
    const node = this.models.nodes.get(id);
    if (!node?.declared) return undefined;
    return memberView(node);
  }

  private settle(id: string): void {
    const group = this.models.groups.get(id);
    if (!group) return;
    for (const member of group.members.values()) {
      const node = this.models.nodes.get(member.id);
      const due = node && member.leaving && !node.deleted ? removalFor(node, member.operationId) : undefined;
      if (!node?.declared || due === 'none' || due === 'given up for another') this.settleMember(group, member);
    }
    const clusterId = group.declared?.clusterId;
    if (group.deleted && clusterId !== undefined && this.models.registry.get(clusterId)?.groups.has(id))
      this.models.registry.execute(clusterId, state => unregisterGroup(state, id));
  }

  private settleMember({ declared, spec }: NodeGroupState, member: Member): void {
    if (!declared || !spec) return;
    const { id, ordinal, operationId } = member;
    const { id: nodeGroupId, clusterId, projectId, name: groupName } = declared;
    const node = { id, nodeGroupId, clusterId, projectId, groupName, ordinal, operationId, spec };
    this.models.nodes.execute(
      id,
      state => (state.declared ? accept() : declareNode({ ...node, name: `${groupName}-${ordinal}` })),
      ({ ok }) => {
        if (ok && member.leaving) this.models.nodes.execute(id, state => removeNode(state, member.reason, operationId));
      },
    );
  }
}
