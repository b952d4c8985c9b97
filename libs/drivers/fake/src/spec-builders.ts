import { randomUUID } from 'node:crypto';
import type { ClusterSpec, ContainerSpec, DriverContext, DriverLogger, NodeSpec, ResourceRef } from '@stave/driver-sdk';

const nothing = () => undefined;
export const silentLog: DriverLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Specs with new ids, for tests of this driver. */
export function aCluster(overrides: Partial<ClusterSpec> = {}): ClusterSpec {
  return {
    id: randomUUID(),
    name: 'blue',
    projectId: 'p1',
    generation: 1,
    network: {},
    api: {},
    labels: {},
    options: {},
    ...overrides,
  };
}

export function aNode(overrides: Partial<NodeSpec> = {}): NodeSpec {
  return {
    id: randomUUID(),
    name: 'blue-workers-0',
    ordinal: 0,
    generation: 1,
    cluster: overrides.cluster ?? aCluster(),
    nodeGroup: { id: 'g1', name: 'workers' },
    role: 'worker',
    flavor: { cpus: 2, memoryMb: 1024 },
    labels: {},
    taints: [],
    options: {},
    ...overrides,
  };
}

export function aContainer(
  overrides: Partial<ContainerSpec> & Pick<ContainerSpec, 'clusterId' | 'nodeId'>,
): ContainerSpec {
  return {
    id: randomUUID(),
    name: 'web',
    generation: 1,
    image: 'nginx',
    env: {},
    resources: {},
    volumes: [],
    ports: [],
    restartPolicy: 'no',
    labels: {},
    ...overrides,
  };
}

/** What a delete or reboot of this spec is given. */
export function refTo(spec: NodeSpec, generation = spec.generation): ResourceRef {
  return { id: spec.id, clusterId: spec.cluster.id, generation, options: { ...spec.cluster.options, ...spec.options } };
}

export function aContext(overrides: Partial<DriverContext> = {}): DriverContext {
  return {
    signal: new AbortController().signal,
    log: silentLog,
    now: () => performance.now(),
    secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
    progress: nothing,
    task: { taskId: 't1', attempt: 1, generation: 1 },
    checkpoint: nothing,
    ...overrides,
  };
}
