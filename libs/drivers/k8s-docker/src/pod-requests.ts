import type { EngineReservation, NodeCapacity } from '@stave/driver-sdk';

interface Resources {
  readonly requests?: Readonly<Record<string, string>>;
}

interface PodContainer {
  readonly resources?: Resources;
  readonly restartPolicy?: string;
}

/** The parts of a pod from which follows what it holds on its node. */
export interface PlacedPod {
  readonly metadata: {
    readonly namespace: string;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
    readonly overhead?: Readonly<Record<string, string>>;
    /** What the pod asks for as a whole, instead of its containers. */
    readonly resources?: Resources;
  };
}

const nothing: NodeCapacity = { cpus: 0, memoryMb: 0 };
const megabyte = 2 ** 20;
const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Returns the number that a quantity of Kubernetes means. Throws for text that is none. */
export function quantity(text: string): number {
  const [, digits, exponent, suffix = ''] = /^([+-]?[\d.]+)(?:([eE][+-]?\d+)|([a-zA-Z]{0,2}))$/.exec(text) ?? [];
  const value = Number(`${digits}${exponent ?? ''}`) * (suffixes[suffix] ?? NaN);
  if (Number.isNaN(value)) throw new TypeError(`${text} is not a quantity of Kubernetes`);
  return value;
}

/** Returns what Kubernetes holds for a pod on its node, as its scheduler and kubelet compute it. */
export function podRequest({ spec }: PlacedPod): NodeCapacity {
  let sidecars = nothing;
  let starting = nothing;
  for (const container of spec.initContainers ?? []) {
    const own = amounts(container.resources?.requests);
    // one that is restarted runs beside the others until the end
    if (container.restartPolicy === 'Always') sidecars = sum(sidecars, own);
    starting = most(starting, container.restartPolicy === 'Always' ? sidecars : sum(sidecars, own));
  }
  const running = spec.containers.map(({ resources }) => amounts(resources?.requests)).reduce(sum, sidecars);
  const asked = { ...most(starting, running), ...given(spec.resources?.requests) };
  return sum(asked, amounts(spec.overhead));
}

/** Returns what Kubernetes holds on each node, by the name of the node, for pods that have not ended. */
export function reservations(pods: readonly PlacedPod[]): ReadonlyMap<string, EngineReservation> {
  const held = new Map<string, EngineReservation>();
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    if (nodeName === undefined) continue;
    const before = held.get(nodeName) ?? { ...nothing, daemons: nothing };
    const own = podRequest(pod);
    held.set(nodeName, {
      ...sum(before, own),
      daemons: isOfEachNode(pod) ? sum(before.daemons, own) : before.daemons,
    });
  }
  return held;
}

/** Pods of DaemonSets, and those that a node runs by itself. */
const isOfEachNode = ({ metadata }: PlacedPod): boolean =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node') ?? false;

/** Sums are kept in thousandths and whole bytes, so that they do not depend on the order of pods. */
const sum = (a: NodeCapacity, b: NodeCapacity): NodeCapacity => ({
  cpus: (Math.round(a.cpus * 1_000) + Math.round(b.cpus * 1_000)) / 1_000,
  memoryMb: (Math.round(a.memoryMb * megabyte) + Math.round(b.memoryMb * megabyte)) / megabyte,
});

const most = (a: NodeCapacity, b: NodeCapacity): NodeCapacity => ({
  cpus: Math.max(a.cpus, b.cpus),
  memoryMb: Math.max(a.memoryMb, b.memoryMb),
});

const amounts = (requests?: Resources['requests']): NodeCapacity => ({ ...nothing, ...given(requests) });

const given = ({ cpu, memory }: Resources['requests'] = {}): Partial<NodeCapacity> => ({
  ...(cpu !== undefined && { cpus: Math.ceil(quantity(cpu) * 1_000) / 1_000 }),
  ...(memory !== undefined && { memoryMb: quantity(memory) / megabyte }),
});
