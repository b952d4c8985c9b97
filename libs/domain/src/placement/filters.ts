import type {
  FilterCode,
  HardTaint,
  Labels,
  NodeView,
  PlacementPolicy,
  PlacementRequest,
  Toleration,
} from './model.js';
import { milli, type NodeTable } from './node-table.js';

type Refuses = (request: PlacementRequest, table: NodeTable) => (node: number) => boolean;

/** Decides which nodes cannot take a request, and explains why and what would have to change. */
export interface Filter {
  readonly code: FilterCode;
  /** Returns false when the filter refuses no node for this request. */
  readonly applies: (request: PlacementRequest) => boolean;
  /** Compiles the question of the request into a test of one node, which is called once for each node of the table. */
  readonly refuses: Refuses;
  /** Returns the reason of the refusal, for people. */
  readonly sentence: (request: PlacementRequest) => string;
  /** Returns the change that would let this node pass, and how big it is next to others (1: a small one). */
  readonly remedy: (request: PlacementRequest, node: NodeView) => { readonly cost: number; readonly sentence: string };
}

/** Tests the node as it was in the snapshot. */
const byView =
  (refuses: (request: PlacementRequest, node: NodeView) => boolean): Refuses =>
  (request, { views }) =>
  node => {
    const view = views[node];
    return view === undefined || refuses(request, view);
  };

const lackingLabels = (wanted: Labels = {}, labels: Labels): readonly [string, string][] =>
  Object.entries(wanted).filter(([name, value]) => !Object.hasOwn(labels, name) || labels[name] !== value);

const labelList = (labels: readonly [string, string][]): string =>
  labels.map(([name, value]) => `${name}=${value}`).join(', ');

const tolerates = ({ key, value, effect }: Toleration, taint: HardTaint): boolean =>
  key === taint.key &&
  (value === undefined || value === taint.value) &&
  (effect === undefined || effect === taint.effect);

const untolerated = (taints: readonly HardTaint[], tolerations: readonly Toleration[] = []): readonly HardTaint[] =>
  taints.length === 0 ? taints : taints.filter(taint => !tolerations.some(t => tolerates(t, taint)));

const taintText = ({ key, value, effect }: HardTaint): string =>
  `${key}${value === undefined ? '' : `=${value}`}:${effect}`;

/** The cost of a larger node. It is above every other cost: nothing can be freed on a node that is too small when empty. */
const LARGER_NODE = 20;

/** All filters in the order in which they are asked. Resources come last, since they change during a batch. */
const filters: { readonly [C in FilterCode]: Omit<Filter, 'code' | 'applies'> & Partial<Filter> } = {
  NOT_HOST_NODE: {
    applies: request => request.hostNode !== undefined,
    refuses: byView(({ hostNode }, node) => node.id !== hostNode && node.name !== hostNode),
    sentence: request => `The request asks for the node ${request.hostNode}.`,
    remedy: () => ({ cost: 10, sentence: 'ask for no certain node (hostNode)' }),
  },
  REGION_MISMATCH: {
    applies: request => request.region !== undefined,
    refuses: byView((request, node) => node.region !== request.region),
    sentence: request => `The node is not in region ${request.region}.`,
    remedy: (_request, node) => ({ cost: 6, sentence: `allow region ${node.region ?? '(none)'}` }),
  },
  ZONE_MISMATCH: {
    applies: request => request.zone !== undefined,
    refuses: byView((request, node) => node.zone !== request.zone),
    sentence: request => `The node is not in zone ${request.zone}.`,
    remedy: (_request, node) => ({ cost: 5, sentence: `allow zone ${node.zone ?? '(none)'}` }),
  },
  LABELS_MISMATCH: {
    applies: request => Object.keys(request.nodeSelector ?? {}).length > 0,
    refuses: (request, { views }) => {
      const wanted = Object.entries(request.nodeSelector ?? {});
      return node => {
        const labels = views[node]?.labels ?? {};
        return wanted.some(([name, value]) => !Object.hasOwn(labels, name) || labels[name] !== value);
      };
    },
    sentence: request => `The node lacks a label of ${labelList(Object.entries(request.nodeSelector ?? {}))}.`,
    remedy: (request, node) => {
      const lacking = lackingLabels(request.nodeSelector, node.labels);
      return { cost: lacking.length, sentence: `label node ${node.name} with ${labelList(lacking)}` };
    },
  },
  TAINT_NOT_TOLERATED: {
    refuses: byView((request, node) => untolerated(node.taints, request.tolerations).length > 0),
    sentence: () => 'The node has a taint that the request does not tolerate.',
    remedy: (request, node) => {
      const taints = untolerated(node.taints, request.tolerations);
      return { cost: taints.length, sentence: `tolerate ${taints.map(taintText).join(', ')} of node ${node.name}` };
    },
  },
  NODE_NOT_READY: {
    refuses: byView((_request, node) => !node.ready),
    sentence: () => 'The node is not ready.',
    remedy: (_request, node) => ({ cost: 3, sentence: `bring node ${node.name} back to ready` }),
  },
  NODE_NOT_SCHEDULABLE: {
    refuses: byView((_request, node) => !node.schedulable),
    sentence: () => 'The node is cordoned or draining.',
    remedy: (_request, node) => ({ cost: 1, sentence: `make node ${node.name} schedulable again` }),
  },
  NO_ROOM_FOUND: {
    applies: request => (request.avoid ?? []).length > 0,
    refuses: byView(({ avoid = [] }, node) => avoid.includes(node.id)),
    sentence: () => 'Its infrastructure had no room for this container; it is tried again later.',
    remedy: (_request, node) => ({ cost: 5, sentence: `make room on the infrastructure of node ${node.name}` }),
  },
  INSUFFICIENT_ROOM: {
    refuses: (request, { freeMilli, freeMemory }) => {
      const cpuMilli = milli(request.cpus);
      return node => (freeMilli[node] ?? 0) < cpuMilli || (freeMemory[node] ?? 0) < request.memoryMb;
    },
    sentence: request => `The node has less than ${request.cpus} CPUs or ${request.memoryMb} MB free.`,
    remedy: ({ cpus, memoryMb }, { name, capacity, allocated }) => {
      const wanted = milli(cpus);
      if (wanted > milli(capacity.cpus) || memoryMb > capacity.memoryMb)
        return { cost: LARGER_NODE, sentence: `add a node with at least ${cpus} CPUs and ${memoryMb} MB` };
      const cpuMilli = Math.max(0, wanted - (milli(capacity.cpus) - milli(allocated.cpus)));
      const lackingMb = Math.max(0, memoryMb - (capacity.memoryMb - allocated.memoryMb));
      const part = cpuMilli / Math.max(1, wanted) + lackingMb / Math.max(1, memoryMb);
      return { cost: 1 + part, sentence: `free ${cpuMilli / 1000} CPUs and ${lackingMb} MB on node ${name}` };
    },
  },
};

export const FILTERS: readonly Filter[] = Object.entries(filters).map(([code, filter]) => ({
  code: code as FilterCode,
  applies: () => true,
  ...filter,
}));

/** The policy with every filter, in which least CPU, least memory and spread have the same weight. */
export const DEFAULT_PLACEMENT_POLICY: PlacementPolicy = {
  name: 'default',
  filters: FILTERS.map(filter => filter.code),
  weights: { leastCpu: 1, leastMemory: 1, spread: 1 },
};
