import { randomUUID } from 'node:crypto';
import type { ClusterSpec, ContainerRef, ContainerSpec, NodeSpec, ResourceRef } from '../driver.js';

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

/** Builds the reference that a delete, a reboot or a container action of this specification receives. */
export function referenceTo(spec: ContainerSpec, generation?: number): ContainerRef;
export function referenceTo(spec: ClusterSpec | NodeSpec, generation?: number): ResourceRef;
export function referenceTo(
  spec: ClusterSpec | NodeSpec | ContainerSpec,
  generation = spec.generation,
): ResourceRef | ContainerRef {
  const { id } = spec;
  if ('nodeId' in spec) return { id, clusterId: spec.clusterId, nodeId: spec.nodeId, generation, options: {} };
  if (!('cluster' in spec)) return { id, clusterId: id, generation, options: spec.options };
  return { id, clusterId: spec.cluster.id, generation, options: { ...spec.cluster.options, ...spec.options } };
}
