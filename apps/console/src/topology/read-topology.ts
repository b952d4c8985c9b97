import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readPage } from '../api/any-path.js';
import { groupBy } from '../api/group-by.js';
import { byName } from '../api/natural-order.js';
import { past, type Query } from '../api/queries.js';
import { unlessStopped } from '../api/stopped.js';
import type { Page } from '../api/types.js';

/** More nodes than this are shown by group. */
export const MAX_NODES = 2_000;
/** More containers than this are not read: the room of nodes would be wrong, and is left out. */
const MAX_CONTAINERS = 10_000;
const LIMIT = 500;
/** A picture of all nodes is read again after this time, in milliseconds: events would do so for each container. */
const READ_MS = 5_000;
const READ_LARGE_MS = 20_000;
const LARGE = 200;

interface Resources {
  readonly cpus?: number;
  readonly memoryMb?: number;
}
export interface PlacedContainer {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly nodeId: string | null;
  readonly resources?: Resources;
}
export interface TopologyNode {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly schedulable: boolean;
  readonly zone?: string;
  readonly nodeGroupId: string;
  readonly capacity?: Resources;
  readonly containers: readonly PlacedContainer[];
  /** The shares that are allocated, 0 to 1. */
  readonly cpus: number;
  readonly memory: number;
}
export interface Topology {
  readonly total: number;
  /** By zone, the nodes of each in the order of their names; empty where there are too many. */
  readonly zones: readonly (readonly [zone: string, nodes: readonly TopologyNode[]])[];
  /** The number of containers; undefined: they were not read. */
  readonly containers: number | undefined;
}

interface Read<T> {
  readonly items: readonly T[];
  readonly total: number;
}

interface List {
  readonly path: string;
  readonly query: Query;
  readonly signal: AbortSignal;
}

const firstPage = <T>({ path, query, signal }: List): Promise<Page<T>> =>
  readPage<T>(path, { ...query, limit: LIMIT, total: true }, signal);

/** Reads what follows the first page, or nothing where there are more items than `most`. */
async function readUpTo<T>({ path, query, signal }: List, first: Page<T>, most: number): Promise<Read<T>> {
  const { total = 0 } = first;
  if (total > most) return { items: [], total };
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null && items.length < most;) {
    const page: Page<T> = await readPage<T>(path, { ...query, limit: LIMIT, cursor }, signal);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { items, total };
}

const share = (used: number, of: number | undefined): number =>
  of === undefined || of === 0 ? 0 : Math.min(1, used / of);

type BareNode = Omit<TopologyNode, 'containers' | 'cpus' | 'memory'>;

function withContainers(node: BareNode, containers: readonly PlacedContainer[]): TopologyNode {
  const sum = (of: (resources: Resources) => number | undefined): number =>
    containers.reduce((total, { resources = {} }) => total + (of(resources) ?? 0), 0);
  return {
    ...node,
    containers: [...containers].sort(byName),
    cpus: share(
      sum(({ cpus }) => cpus),
      node.capacity?.cpus,
    ),
    memory: share(
      sum(({ memoryMb }) => memoryMb),
      node.capacity?.memoryMb,
    ),
  };
}

async function readTopology(clusterId: string, at: string | undefined, signal: AbortSignal): Promise<Topology> {
  const list = (path: string, fields: string): List => ({ path, query: { clusterId, fields, ...past(at) }, signal });
  const ofNodes = list('/v1/nodes', 'name,status,schedulable,zone,nodeGroupId,capacity');
  const ofContainers = list('/v1/containers', 'name,status,nodeId,resources');
  const [firstNodes, firstPlaced] = await Promise.all([
    firstPage<BareNode>(ofNodes),
    firstPage<PlacedContainer>(ofContainers),
  ]);
  const nodes = await readUpTo(ofNodes, firstNodes, MAX_NODES);
  if (nodes.total > MAX_NODES) return { total: nodes.total, zones: [], containers: undefined };
  const placed = await readUpTo(ofContainers, firstPlaced, MAX_CONTAINERS);
  const byNode = groupBy(placed.items, ({ nodeId }) => nodeId);
  const all = nodes.items.map(node => withContainers(node, byNode.get(node.id) ?? []));
  const zones = groupBy(all, ({ zone = '' }) => zone);
  return {
    total: nodes.total,
    zones: [...zones].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, of]) => [zone, [...of].sort(byName)] as const),
    containers: placed.total > MAX_CONTAINERS ? undefined : placed.total,
  };
}

/** All nodes of a cluster with what is on them. */
export const useTopology = (clusterId: string, at: string | undefined): UseQueryResult<Topology> =>
  useQuery({
    queryKey: ['topology', clusterId, at],
    queryFn: ({ signal }) => readTopology(clusterId, at, signal),
    refetchInterval: query => {
      if (at !== undefined) return false;
      return unlessStopped((query.state.data?.total ?? 0) > LARGE ? READ_LARGE_MS : READ_MS)(query);
    },
  });
