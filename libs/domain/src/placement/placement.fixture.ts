import type { NodeView, PlacementRequest } from './model.js';

/** A ready node of 4 CPUs and 8,000 MB, empty. For tests. */
export function node(over: Partial<NodeView> = {}): NodeView {
  return {
    id: 'n',
    name: 'n',
    nodeGroupId: 'g',
    ready: true,
    schedulable: true,
    role: 'worker',
    labels: {},
    taints: [],
    capacity: { cpus: 4, memoryMb: 8000 },
    allocated: { cpus: 0, memoryMb: 0 },
    containers: 0,
    ...over,
  };
}

/** A request of one CPU and 1,000 MB. For tests. */
export function request(over: Partial<PlacementRequest> = {}): PlacementRequest {
  return { id: 'r', cpus: 1, memoryMb: 1000, ...over };
}
