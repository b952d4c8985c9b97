import { getOrCreate } from '../kernel/get-or-create.js';
import { chooseHostPorts, portKey } from './host-ports.js';
import type { ContainerKind, FixedAddress, HeldContainers, HostPort, NodeView, PlacementRequest } from './model.js';

/** The containers of one kind by node index: those there are, and those of them that leave. */
export interface KindCount {
  readonly key: string;
  readonly kind: ContainerKind;
  readonly count: Map<number, number>;
  readonly leaving: Map<number, number>;
}

const addressKey = ({ network, ipv4 }: FixedAddress): string => `${ipv4} ${network}`;

function change<K>(counts: Map<K, number>, key: K, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

/** What the containers of each node hold apart from CPUs and memory, by node index. */
export class NodeContents {
  private readonly kinds = new Map<string, KindCount>();
  private readonly known = new WeakMap<ContainerKind, KindCount>();
  private readonly ports: (Set<number> | undefined)[] = [];
  private readonly addresses = new Map<string, Map<number, number>>();
  private readonly volumes = new Map<string, string>();

  /** The kinds of containers that there are. */
  all(): IterableIterator<KindCount> {
    return this.kinds.values();
  }

  /** Adds what the node holds. */
  add(node: number, { held = [], hostPorts = [], addresses = [] }: NodeView): void {
    for (const { kind, count, leaving = 0 } of held) this.hold(node, { kind, count, leaving });
    this.ports[node] = hostPorts.length === 0 ? undefined : new Set(hostPorts.map(portKey));
    for (const address of addresses) this.take(address, node, 1);
  }

  /** Removes what {@link add} added. */
  remove(node: number, { held = [], addresses = [] }: NodeView): void {
    for (const { kind, count, leaving = 0 } of held) this.hold(node, { kind, count: -count, leaving: -leaving });
    this.ports[node] = undefined;
    for (const address of addresses) this.take(address, node, -1);
  }

  /** Adds what a placed request holds, and returns what removes it. */
  place(node: number, nodeId: string, request: PlacementRequest): () => void {
    const undo: (() => void)[] = [];
    const kind = kindOf(request);
    if (kind !== undefined) {
      this.hold(node, { kind, count: 1 });
      undo.push(() => this.hold(node, { kind, count: -1 }));
    }
    const chosen = chooseHostPorts(request.hostPorts ?? [], this.takenOn(node));
    if (typeof chosen !== 'string' && chosen.length > 0) {
      const taken = getOrCreate(
        { get: at => this.ports[at], set: (at, made) => (this.ports[at] = made) },
        node,
        () => new Set<number>(),
      );
      for (const key of chosen.map(portKey)) taken.add(key);
      undo.push(() => chosen.forEach(host => taken.delete(portKey(host))));
    }
    const { network, volumes = [] } = request;
    if (network?.ipv4 !== undefined) {
      const address = { network: network.name, ipv4: network.ipv4 };
      this.take(address, node, 1);
      undo.push(() => this.take(address, node, -1));
    }
    for (const { name, scope, exclusive } of volumes) {
      if ((scope !== 'node' && exclusive !== true) || this.volumes.has(name)) continue;
      this.volumes.set(name, nodeId);
      undo.push(() => this.volumes.delete(name));
    }
    return () => undo.forEach(remove => remove());
  }

  portsOf(node: number): ReadonlySet<number> | undefined {
    return this.ports[node];
  }

  /** Returns whether a port is taken on the node. */
  takenOn(node: number): (host: HostPort) => boolean {
    const taken = this.ports[node];
    return host => taken?.has(portKey(host)) === true;
  }

  /** Whether a container has the address: one on this node, or one anywhere. */
  isAddressTaken(address: FixedAddress, node?: number): boolean {
    const users = this.addresses.get(addressKey(address));
    return users !== undefined && (node === undefined ? users.size > 0 : users.has(node));
  }

  /** Returns the id of the node where a placement of this batch uses the volume, if it is bound by that. */
  volumeNode(name: string): string | undefined {
    return this.volumes.get(name);
  }

  private hold(node: number, { kind, count, leaving = 0 }: HeldContainers): void {
    const counts = this.countsOf(kind);
    change(counts.count, node, count);
    if (leaving !== 0) change(counts.leaving, node, leaving);
    // a table is kept, and kinds come and go
    if (counts.count.size === 0) this.kinds.delete(counts.key);
  }

  private countsOf(kind: ContainerKind): KindCount {
    const known = this.known.get(kind);
    if (known !== undefined && this.kinds.get(known.key) === known) return known;
    const key = known?.key ?? JSON.stringify(kind);
    const counts = getOrCreate(
      this.kinds,
      key,
      (): KindCount => known ?? { key, kind, count: new Map(), leaving: new Map() },
    );
    this.known.set(kind, counts);
    return counts;
  }

  private take(address: FixedAddress, node: number, by: number): void {
    const key = addressKey(address);
    const users = getOrCreate(this.addresses, key, () => new Map<number, number>());
    change(users, node, by);
    if (users.size === 0) this.addresses.delete(key);
  }
}

const kinds = new WeakMap<PlacementRequest, ContainerKind>();

/** Returns the kind of the containers of the request; undefined when it has nothing that affinity and spread see. */
export function kindOf(request: PlacementRequest): ContainerKind | undefined {
  const { setId, labels = {}, affinity } = request;
  if (setId === undefined && affinity === undefined && request.labels === undefined) return undefined;
  return getOrCreate(kinds, request, () => ({
    ...(setId !== undefined && { setId }),
    labels,
    ...(affinity && { affinity }),
  }));
}
