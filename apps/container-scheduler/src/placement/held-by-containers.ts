import {
  getOrCreate,
  isOutdatedMember,
  withOwnRules,
  type ContainerKind,
  type ContainerState,
  type HeldContainers,
  type NodeView,
  type PolicyRules,
  type ReservedAttachments,
} from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type HostPort = NonNullable<NodeView['hostPorts']>[number];
type FixedAddress = NonNullable<NodeView['addresses']>[number];

interface Shared {
  readonly key: string;
  readonly kind: ContainerKind;
  users: number;
}

/** What one container holds on its node beside room. */
interface Holding {
  readonly nodeId: string;
  /** Containers of one kind share it. */
  readonly shared: Shared;
  readonly leaving: boolean;
  readonly ports: readonly HostPort[];
  readonly address?: FixedAddress;
}

interface OnNode {
  readonly kinds: Map<ContainerKind, { count: number; leaving: number }>;
  /** Those that hold ports or an address. */
  readonly attached: Map<string, Holding>;
}

/** What the containers with a reservation hold on each node of a cluster. A change costs as much as the container that changed. */
export class HeldByContainers {
  private readonly holdings = new Map<string, Holding>();
  private readonly nodes = new Map<string, OnNode>();
  private readonly kinds = new Map<string, Shared>();

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly clusterId: string,
    /** Returns the rules of policies that apply to the containers of a set, or of none. */
    private readonly rulesOf: (setId: string | undefined) => PolicyRules,
  ) {}

  /** Compares a container with its reservation. Returns the ids of the nodes whose containers it changed. */
  update(containerId: string): readonly string[] {
    const before = this.holdings.get(containerId);
    if (before) this.remove(containerId, before);
    const after = this.holdingOf(containerId);
    if (after) this.add(containerId, after);
    return [before, after].flatMap(holding => holding?.nodeId ?? []);
  }

  /** Returns all containers that hold something. */
  all(): readonly string[] {
    return [...this.holdings.keys()];
  }

  on(nodeId: string): Pick<NodeView, 'held' | 'hostPorts' | 'addresses'> {
    const node = this.nodes.get(nodeId);
    if (!node) return {};
    const held = [...node.kinds].map(([kind, counts]): HeldContainers => ({ kind, ...counts }));
    const attached = [...node.attached.values()];
    const hostPorts = attached.flatMap(({ ports }) => ports);
    const addresses = attached.flatMap(({ address }) => address ?? []);
    return { held, ...(hostPorts.length > 0 && { hostPorts }), ...(addresses.length > 0 && { addresses }) };
  }

  private holdingOf(containerId: string): Holding | undefined {
    const { placement, containers, sets } = this.projection;
    const reservation = placement.get(this.clusterId).ledger.reservations.get(containerId);
    if (!reservation) return undefined;
    const { declared, contents } = containers.get(containerId) ?? {};
    const setId = declared?.setId;
    const set = setId === undefined ? undefined : sets.get(setId);
    const member = set?.members.get(containerId);
    return {
      nodeId: reservation.nodeId,
      shared: this.shared(setId, contents),
      leaving: set !== undefined && member !== undefined && (member.leaving || isOutdatedMember(set, member)),
      ...this.attached(reservation.attached ?? {}),
    };
  }

  private attached({ ports = [], network }: ReservedAttachments): Pick<Holding, 'ports' | 'address'> {
    const name = network && this.projection.networks.get(network.id)?.declared.name;
    return {
      ports: ports.map(({ hostPort: port, protocol }) => ({ port, protocol })),
      ...(name !== undefined &&
        network?.address !== undefined && { address: { network: name, ipv4: network.address } }),
    };
  }

  private shared(setId: string | undefined, contents: ContainerState['contents'] | undefined): Shared {
    const { labels = {} } = contents ?? {};
    const { affinity } = withOwnRules(this.rulesOf(setId), contents ?? {});
    const kind = { ...(setId === undefined ? {} : { setId }), labels, ...(affinity ? { affinity } : {}) };
    const key = JSON.stringify(kind);
    return getOrCreate(this.kinds, key, () => ({ key, kind, users: 0 }));
  }

  private add(id: string, holding: Holding): void {
    const { nodeId, shared, ports, address } = holding;
    this.holdings.set(id, holding);
    const node = getOrCreate(this.nodes, nodeId, (): OnNode => ({ kinds: new Map(), attached: new Map() }));
    if (ports.length > 0 || address) node.attached.set(id, holding);
    count(node, holding, 1);
    shared.users += 1;
  }

  private remove(id: string, holding: Holding): void {
    const { nodeId, shared } = holding;
    this.holdings.delete(id);
    shared.users -= 1;
    if (shared.users === 0) this.kinds.delete(shared.key);
    const node = this.nodes.get(nodeId);
    if (!node) return;
    node.attached.delete(id);
    count(node, holding, -1);
    if (node.kinds.size === 0) this.nodes.delete(nodeId);
  }
}

function count({ kinds }: OnNode, { shared: { kind }, leaving }: Holding, by: 1 | -1): void {
  const before = kinds.get(kind) ?? { count: 0, leaving: 0 };
  const after = { count: before.count + by, leaving: before.leaving + (leaving ? by : 0) };
  if (after.count === 0) kinds.delete(kind);
  else kinds.set(kind, after);
}
