import { Injectable } from '@nestjs/common';
import {
  isOpenNode,
  membersAboveShares,
  omitUndefined,
  shareSurplus,
  type ContainerSetState,
  type NodeState,
} from '@stave/domain';
import { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Compares where the members of a set are with where they would be in equal shares. */
@Injectable()
export class SetBalance {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly snapshots: ClusterSnapshots,
  ) {}

  /**
   * Returns the members above the shares of the places that policies list; without such, of the zones that can take containers; without zones,
   * of the nodes.
   */
  membersToMove(set: ContainerSetState): readonly string[] {
    return this.aboveListedShares(set) ?? this.aboveEqualShares(set);
  }

  /**
   * Compares where the members are with the shares of so many of them, of the places that policies list; undefined where none lists places.
   * Default: of those that stay.
   */
  sharesOf({ id: setId, clusterId }: ContainerSetState['declared'], members?: number) {
    const snapshot = this.snapshots.of(clusterId);
    const { placement } = snapshot.rulesOf(setId);
    if (!placement) return undefined;
    const request = { id: setId, cpus: 0, memoryMb: 0, setId, placement, ...omitUndefined({ members }) };
    const surplus = shareSurplus(request, snapshot.table);
    const nodeOf = (id: string): string => this.projection.containers.get(id)?.nodeId ?? '';
    return surplus && { ...surplus, placeOf: (id: string) => surplus.placeOf(nodeOf(id)) };
  }

  private aboveListedShares({ declared, members }: ContainerSetState) {
    const surplus = this.sharesOf(declared);
    if (!surplus) return undefined;
    const left = new Map<number, number>();
    const youngest = [...members.values()].sort((a, b) => (a.addedAt < b.addedAt ? 1 : a.addedAt > b.addedAt ? -1 : 0));
    return youngest.flatMap(({ id, leaving }) => {
      const place = leaving ? undefined : surplus.placeOf(id);
      if (place === undefined) return [];
      const above = left.get(place) ?? surplus.above(place);
      left.set(place, above - 1);
      return above > 0 ? [id] : [];
    });
  }

  private aboveEqualShares({ declared, members }: ContainerSetState): readonly string[] {
    const { nodes, containers, nodesByCluster } = this.projection;
    const open = nodesByCluster.in(declared.clusterId).flatMap(id => {
      const node = nodes.get(id);
      return node?.status === 'ACTIVE' && isOpenNode(node) ? [node] : [];
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
