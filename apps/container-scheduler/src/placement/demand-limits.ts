import {
  attachmentLimits,
  getOrCreate,
  type AttachmentLimits,
  type NodeView,
  type PlacementRequest,
  type Unschedulable,
} from '@stave/domain';
import type { Demand } from '../attachments/demand.js';
import type { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Limits requests to the nodes that have what their containers need beside room, and says why the others cannot take them. */
export class DemandLimits {
  private readonly lacking = new Map<string, ReadonlySet<string>>();
  private readonly nodeIds: readonly string[];

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly drivers: ClusterDrivers,
    private readonly clusterId: string,
    private readonly views: readonly NodeView[],
  ) {
    this.nodeIds = views.map(({ id }) => id);
  }

  limited(request: PlacementRequest, demand: Demand): PlacementRequest {
    const { closed, boundTo, usedOn, addressTaken, portTaken } = this.of(demand);
    const avoid = new Set(request.avoid);
    const only = [request.hostNode, boundTo, usedOn].filter(id => id !== undefined);
    const [first] = only;
    const isNowhere = closed !== undefined || addressTaken === 'all' || only.some(id => id !== first);
    for (const id of isNowhere ? this.nodeIds : [...addressTaken, ...portTaken]) avoid.add(id);
    for (const driver of demand.drivers) for (const id of this.nodesWithout(driver)) avoid.add(id);
    const limited = first === undefined || isNowhere ? request : { ...request, hostNode: first };
    return avoid.size > 0 ? { ...limited, avoid: [...avoid] } : limited;
  }

  /** Adds the reasons to a refusal, which the filters do not know. */
  explained(decision: Unschedulable, demand: Demand): Unschedulable {
    const reasons = this.reasons(demand);
    if (reasons.length === 0) return decision;
    return { ...decision, unschedulable: [decision.unschedulable, ...reasons].join(' ') };
  }

  private reasons(demand: Demand): readonly string[] {
    const { boundTo, usedOn, addressTaken, portTaken } = this.of(demand);
    const lacking = demand.drivers.flatMap(driver => {
      const count = this.nodesWithout(driver).size;
      return count === 0 ? [] : [`${count} lack the ${driver.kind} driver ${driver.driver}.`];
    });
    const taken = addressTaken === 'all' ? this.views.length : addressTaken.length;
    return [
      ...(boundTo === undefined ? [] : [`The data of its volume is on the node ${this.nameOf(boundTo)}.`]),
      ...(usedOn === undefined ? [] : [`Its exclusive volume is used on the node ${this.nameOf(usedOn)}.`]),
      ...(taken === 0 ? [] : [`On ${taken} its address is taken.`]),
      ...(portTaken.length === 0 ? [] : [`On ${portTaken.length} a port is taken.`]),
      ...lacking,
    ];
  }

  private of({ asked }: Demand): AttachmentLimits {
    return attachmentLimits(this.projection.placement.get(this.clusterId).ledger.lent, asked);
  }

  private nodesWithout({ kind, driver }: Demand['drivers'][number]): ReadonlySet<string> {
    return getOrCreate(this.lacking, `${kind} ${driver}`, () => {
      const cluster = this.projection.clusters.get(this.clusterId);
      const isMissing = cluster && this.drivers.missingOn(kind, cluster, driver);
      if (!isMissing) return new Set<string>();
      return new Set(this.views.flatMap(view => (isMissing(view.nodeGroupId) ? [view.id] : [])));
    });
  }

  private nameOf(nodeId: string): string {
    return this.projection.nodes.get(nodeId)?.declared.name ?? nodeId;
  }
}
