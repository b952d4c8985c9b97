import { randomUUID } from 'node:crypto';
import type {
  ClusterSpec,
  ContainerRef,
  ContainerSpec,
  NetworkRef,
  NetworkSpec,
  NodeSpec,
  ResourceRef,
  VolumeRef,
  VolumeSpec,
} from '../driver.js';

/** Builds the specification of a cluster with a new id and the given members. */
export function aClusterSpec(overrides: Partial<ClusterSpec> = {}): ClusterSpec {
  return {
    id: randomUUID(),
    name: 'test-cluster',
    projectId: 'test-project',
    generation: 1,
    network: {},
    api: {},
    labels: {},
    options: {},
    ...overrides,
  };
}

/** Builds the specification of a worker with a new id and the given members, in a new cluster unless they contain one. */
export function aNodeSpec(overrides: Partial<NodeSpec> = {}): NodeSpec {
  return {
    id: randomUUID(),
    name: 'test-node',
    ordinal: 0,
    generation: 1,
    cluster: overrides.cluster ?? aClusterSpec(),
    nodeGroup: { id: 'test-group', name: 'workers' },
    role: 'worker',
    flavor: { cpus: 1, memoryMb: 512 },
    labels: {},
    taints: [],
    options: {},
    ...overrides,
  };
}

/** Builds the specification of a container with a new id and the given members. */
export function aContainerSpec(
  overrides: Partial<ContainerSpec> & Pick<ContainerSpec, 'clusterId' | 'nodeId'>,
): ContainerSpec {
  return {
    id: randomUUID(),
    name: 'test-container',
    generation: 1,
    image: 'busybox',
    env: {},
    resources: {},
    volumes: [],
    ports: [],
    restartPolicy: 'no',
    labels: {},
    ...overrides,
  };
}

/** Builds the specification of a network of cluster scope with a new id and the given members. */
export function aNetworkSpec(overrides: Partial<NetworkSpec> & Pick<NetworkSpec, 'clusterId'>): NetworkSpec {
  const id = randomUUID();
  const given = { name: `net-${id.slice(0, 8)}`, generation: 1, scope: 'cluster', driver: 'overlay' } as const;
  return { id, ...given, driverOptions: {}, labels: {}, options: {}, ...overrides };
}

/** Builds the specification of a volume of cluster scope with a new id and the given members. */
export function aVolumeSpec(overrides: Partial<VolumeSpec> & Pick<VolumeSpec, 'clusterId'>): VolumeSpec {
  const id = randomUUID();
  const given = { name: `vol-${id.slice(0, 8)}`, generation: 1, scope: 'cluster', driver: 'local' } as const;
  return { id, ...given, driverOptions: {}, accessMode: 'shared', labels: {}, options: {}, ...overrides };
}

/** Builds the reference that a delete, a reboot or a container action of this specification receives. */
export function referenceTo(spec: ContainerSpec, generation?: number): ContainerRef;
export function referenceTo(spec: NetworkSpec, generation?: number): NetworkRef;
export function referenceTo(spec: VolumeSpec, generation?: number): VolumeRef;
export function referenceTo(spec: ClusterSpec | NodeSpec, generation?: number): ResourceRef;
export function referenceTo(
  spec: ClusterSpec | NodeSpec | ContainerSpec | NetworkSpec | VolumeSpec,
  generation = spec.generation,
): ResourceRef | ContainerRef | NetworkRef {
  const { id } = spec;
  if ('scope' in spec) {
    const { clusterId, nodeId, options } = spec;
    return { id, clusterId, generation, options, ...(nodeId !== undefined && { nodeId }) };
  }
  if ('nodeId' in spec) return { id, clusterId: spec.clusterId, nodeId: spec.nodeId, generation, options: {} };
  if (!('cluster' in spec)) return { id, clusterId: id, generation, options: spec.options };
  return { id, clusterId: spec.cluster.id, generation, options: { ...spec.cluster.options, ...spec.options } };
}
