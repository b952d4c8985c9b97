import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { session } from '../session/session.js';
import { useMoment } from '../time/moment.js';
import type { Watch } from './live-queries.js';
import { unlessStopped } from './stopped.js';
import type { Cluster, Conductor, Container, Node, NodeGroup, Operation, Page, Step } from './types.js';

const { client } = session;

export type Query = Readonly<Record<string, string | number | boolean>>;

/** Reads, of which events say when they are outdated. `at`: as it was at that time, which no event changes. */
export function useLive<T>(
  key: readonly unknown[],
  read: (signal: AbortSignal) => Promise<T>,
  watch?: Watch,
): UseQueryResult<T> {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    meta: { watch },
    placeholderData: previous => previous,
  });
}

export const past = (at: string | undefined): Query => (at === undefined ? {} : { at });

export type Summary = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Counts by type and status. The API has them of the present only: at a moment of the past they are empty. */
export function useSummary(): UseQueryResult<Summary> {
  const [at] = useMoment();
  const isPast = at !== undefined;
  const read = async (signal: AbortSignal): Promise<Summary> =>
    isPast ? {} : ((await client.get('/v1/summary', { signal })).data as Summary);
  return useLive(['summary', isPast], read, {
    types: ['cluster', 'node', 'nodeGroup', 'container', 'containerSet', 'network', 'volume'],
  });
}

export const useCluster = (id: string, at?: string): UseQueryResult<Cluster> =>
  useLive(
    ['cluster', id, at],
    async signal => (await client.get('/v1/clusters/{id}', { path: { id }, query: past(at), signal })).data as Cluster,
    at === undefined ? { ids: [id] } : {},
  );

export const useNodeGroups = (cluster: string, at?: string): UseQueryResult<Page<NodeGroup>> =>
  useLive(
    ['groups', cluster, at],
    async signal =>
      (
        await client.get('/v1/clusters/{clusterId}/node-groups', {
          path: { clusterId: cluster },
          query: { limit: 200, sort: 'name', total: true, ...past(at) },
          signal,
        })
      ).data as Page<NodeGroup>,
    at === undefined ? { ids: [cluster] } : {},
  );

export const useOperations = (query: Query, watch: Watch): UseQueryResult<Page<Operation>> =>
  useLive(
    ['operations', query],
    async signal => (await client.get('/v1/operations', { query, signal })).data as Page<Operation>,
    watch,
  );

export const useOperation = (id: string): UseQueryResult<Operation> =>
  useLive(
    ['operation', id],
    async signal => (await client.get('/v1/operations/{id}', { path: { id }, signal })).data as Operation,
    { ids: [id] },
  );

export const useConductors = (): UseQueryResult<Page<Conductor>> =>
  useQuery({
    queryKey: ['conductors'],
    queryFn: async ({ signal }) => (await client.get('/v1/conductors', { signal })).data as Page<Conductor>,
    // heartbeats are no events
    refetchInterval: unlessStopped(5_000),
  });

/** A kind of list: where it is read, and the type of the events that add to it. */
export interface ListKind<T extends { readonly id: string }> {
  readonly name: string;
  readonly type: string;
  /** The cluster that all of them are in. */
  readonly clusterId?: string;
  readonly read: (query: Query, signal: AbortSignal) => Promise<Page<T>>;
}

export const clusterList: ListKind<Cluster> = {
  name: 'clusters',
  type: 'cluster',
  read: async (query, signal) => (await client.get('/v1/clusters', { query, signal })).data as Page<Cluster>,
};

export const nodeList = (clusterId: string): ListKind<Node> => ({
  name: `nodes of ${clusterId}`,
  clusterId,
  type: 'node',
  read: async (query, signal) =>
    (
      await client.get('/v1/clusters/{clusterId}/nodes', {
        path: { clusterId },
        query,
        signal,
      })
    ).data as Page<Node>,
});

export const containerList = (clusterId: string): ListKind<Container> => ({
  name: `containers of ${clusterId}`,
  clusterId,
  type: 'container',
  read: async (query, signal) =>
    (await client.get('/v1/containers', { query: { clusterId, ...query }, signal })).data as Page<Container>,
});

export interface Steps {
  readonly open: readonly Step[];
  readonly done: readonly Step[];
  /** Whether there are more than these. */
  readonly isPart: boolean;
}

const STEPS = 200;

/** The steps of an operation, those that are not done apart from the others. */
export const useSteps = (id: string): UseQueryResult<Steps> =>
  useLive(
    ['steps', id],
    async signal => {
      const read = async (status: string): Promise<Page<Step>> =>
        (
          await client.get('/v1/operations/{id}/steps', {
            path: { id },
            query: { status, limit: STEPS },
            signal,
          })
        ).data as Page<Step>;
      const [open, done] = await Promise.all([read('FAILED,RETRYING,RUNNING,PENDING'), read('DONE')]);
      return { open: open.items, done: done.items, isPart: (open.nextCursor ?? done.nextCursor) !== null };
    },
    { ids: [id] },
  );

/** The clusters that are not as they should be, those that changed last first. */
export const useWrongClusters = (at?: string): UseQueryResult<Page<Cluster>> =>
  useLive(
    ['wrong clusters', at],
    async signal =>
      (
        await client.get('/v1/clusters', {
          query: { status: 'FAILED,DEGRADED', sort: '-updatedAt', limit: 6, total: true, ...past(at) },
          signal,
        })
      ).data as Page<Cluster>,
    { types: ['cluster', 'nodeGroup'] },
  );
