import { firstOf, getOrCreate, type AttachmentKind, type NodeView, type PlacementRequest } from '@stave/domain';
import type { Demand } from '../attachments/demand.js';
import type { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Whether others than one node have a volume follows from two of them. */
const NODES_THAT_DECIDE = 2;

type Held = Pick<NodeView, 'hostPorts' | 'addresses'>;

interface HeldBy {
  readonly hostPorts: NonNullable<NodeView['hostPorts']>[number][];
  readonly addresses: NonNullable<NodeView['addresses']>[number][];
}

/** Gives the placement what the containers of a batch need beside room, and what the nodes have and hold of it. */
export class DemandViews {
  private readonly held = new Map<string, HeldBy>();
  private readonly drivers = new Map<string, readonly string[] | undefined>();
  private readonly kinds: readonly AttachmentKind[];

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly clusterDrivers: ClusterDrivers,
    private readonly clusterId: string,
    demands: readonly Demand[],
  ) {
    for (const demand of demands) this.addHeld(demand);
    const used = new Set(demands.flatMap(({ drivers }) => drivers.map(({ kind }) => kind)));
    this.kinds = [...used];
  }

  /** Returns the request with its network, volumes and ports. */
  request(request: PlacementRequest, { asked, wanted }: Demand): PlacementRequest {
    const { lent } = this.projection.placement.get(this.clusterId).ledger;
    const volumes = wanted.volumes.map((volume, i) => {
      const id = asked.volumes?.[i]?.id ?? '';
      const nodeId = lent.bindings.get(id);
      return {
        ...volume,
        ...(nodeId !== undefined && { nodeId }),
        attachedTo: firstOf(lent.users.get(id)?.keys() ?? [], NODES_THAT_DECIDE),
      };
    });
    const hostPorts = (asked.ports ?? [])
      .filter(({ hostPort }) => hostPort !== 0)
      .map(({ hostPort: port, protocol }) => ({ port, protocol }));
    return {
      ...request,
      ...(wanted.network && { network: wanted.network }),
      ...(volumes.length > 0 && { volumes }),
      ...(hostPorts.length > 0 && { hostPorts }),
    };
  }

  view(view: NodeView): NodeView {
    const networkDrivers = this.driversOn('network', view.nodeGroupId);
    const volumeDrivers = this.driversOn('volume', view.nodeGroupId);
    const held: Held = this.held.get(view.id) ?? {};
    return { ...view, ...held, ...(networkDrivers && { networkDrivers }), ...(volumeDrivers && { volumeDrivers }) };
  }

  /** Notes which nodes hold the ports and the address that a container asks for. */
  private addHeld({ asked, wanted }: Demand): void {
    const { lent, reservations } = this.projection.placement.get(this.clusterId).ledger;
    const heldBy = (nodeId: string): HeldBy =>
      getOrCreate(this.held, nodeId, (): HeldBy => ({ hostPorts: [], addresses: [] }));
    for (const { hostPort: port, protocol } of asked.ports ?? [])
      for (const nodeId of lent.ports.get(`${port}/${protocol}`)?.keys() ?? [])
        heldBy(nodeId).hostPorts.push({ port, protocol });
    const { id = '', scope } = asked.network ?? {};
    const { name = '', ipv4 } = wanted.network ?? {};
    if (ipv4 === undefined) return;
    const nodes = scope === 'cluster' ? [''] : [...(lent.users.get(id)?.keys() ?? [])];
    for (const nodeId of nodes) {
      const holder = lent.addresses.get(`${id} ${nodeId} ${ipv4}`);
      const holding = holder === undefined ? undefined : reservations.get(holder)?.nodeId;
      if (holding !== undefined) heldBy(holding).addresses.push({ network: name, ipv4 });
    }
  }

  private driversOn(kind: AttachmentKind, nodeGroupId: string): readonly string[] | undefined {
    if (!this.kinds.includes(kind)) return undefined;
    return getOrCreate(this.drivers, `${kind} ${nodeGroupId}`, () => {
      const cluster = this.projection.clusters.get(this.clusterId);
      return cluster && this.clusterDrivers.driversOn(kind, cluster, nodeGroupId);
    });
  }
}
