import { Injectable } from '@nestjs/common';
import { membersAboveShares, type ContainerSetState, type NodeState } from '@stave/domain';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Compares where the members of a set are with where they would be in equal shares. */
@Injectable()
export class SetBalance {
  constructor(private readonly projection: SchedulerProjection) {}

  /** Returns the members above the shares of the zones that can take containers; without zones, of the nodes. */
  membersToMove({ declared, members }: ContainerSetState): readonly string[] {
    const { nodes, containers, nodesByCluster } = this.projection;
    const open = nodesByCluster.in(declared.clusterId).flatMap(id => {
      const node = nodes.get(id);
      return node?.status === 'ACTIVE' && node.schedulable && !node.removing ? [node] : [];
    });
    const byZone = open.some(node => node.declared.zone !== undefined);
    const unitOf = ({ declared: { id, zone } }: NodeState): string => (byZone ? (zone ?? '') : id);
    const placed = [...members.values()].flatMap(({ id, addedAt, leaving }) => {
      const node = nodes.get(containers.get(id)?.nodeId ?? '');
      return leaving || !node ? [] : [{ id, addedAt, unit: unitOf(node) }];
    });
    return membersAboveShares(placed, new Map(open.map(node => [unitOf(node), 1])));
  }
}
