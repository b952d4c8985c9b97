import type { DriverApi, DriverContext, OperationRequest } from '@stave/driver-sdk';
import type { KubernetesApi } from './kubernetes-api.js';
import {
  idsByName,
  shownEvent,
  shownNode,
  shownPod,
  type ApiEvent,
  type ApiNode,
  type ApiPod,
} from './operation-views.js';
import { applyObjects, type WantedObject } from './server-side-apply.js';

interface ListOf<T> {
  readonly items: readonly T[];
}

interface LogsOf {
  readonly namespace?: string;
  readonly pod: string;
  readonly container?: string;
  readonly tail?: number;
}

const defaultNamespace = 'default';
const logBytes = 400_000;
/** Within the deadline of each operation in the manifest. */
const timeoutMs = 9_000;

/** Returns the client of the API of a cluster, with the rights of a member or with those that its changes have. Throws a DriverError. */
export type ApiOf = (ctx: DriverContext, request: OperationRequest, use: 'view' | 'change') => Promise<KubernetesApi>;

/** The operations of a driver of Kubernetes: pods, nodes, events and logs as members see them, and server-side apply. */
export function kubernetesOperations(apiOf: ApiOf): DriverApi {
  const viewer = (ctx: DriverContext, request: OperationRequest): Promise<KubernetesApi> => apiOf(ctx, request, 'view');
  return {
    pods: async (ctx, request) => {
      const api = await viewer(ctx, request);
      const [pods, nodes] = await Promise.all([listed<ApiPod>(ctx, api, request, 'pods'), nodesOf(ctx, api)]);
      const ids = idsByName(nodes);
      return { items: pods.map(pod => shownPod(pod, ids)) };
    },
    nodes: async (ctx, request) => ({ items: (await nodesOf(ctx, await viewer(ctx, request))).map(shownNode) }),
    events: async (ctx, request) => ({
      items: (await listed<ApiEvent>(ctx, await viewer(ctx, request), request, 'events')).map(shownEvent),
    }),
    logs: async (ctx, request) => ({ logs: await logsOf(ctx, await viewer(ctx, request), logRequest(request)) }),
    apply: async (ctx, request) => {
      const api = await apiOf(ctx, request, 'change');
      const { objects } = request.body as { readonly objects: readonly WantedObject[] };
      const dryRun = request.parameters['dryRun'] === true;
      return { items: await applyObjects(ctx, api, { objects, dryRun }) };
    },
  };
}

const nodesOf = async (ctx: DriverContext, api: KubernetesApi): Promise<readonly ApiNode[]> =>
  (await api.read<ListOf<ApiNode>>(ctx, '/api/v1/nodes', { timeoutMs })).items;

/** Those of one namespace, or of all. */
async function listed<T>(
  ctx: DriverContext,
  api: KubernetesApi,
  { parameters }: OperationRequest,
  what: 'pods' | 'events',
): Promise<readonly T[]> {
  const { namespace } = parameters;
  const path = namespace === undefined ? `/api/v1/${what}` : `/api/v1/namespaces/${String(namespace)}/${what}`;
  return (await api.read<ListOf<T>>(ctx, path, { timeoutMs })).items;
}

/** The manifest's schema has checked the parameters. */
const logRequest = ({ parameters }: OperationRequest): LogsOf => parameters as unknown as LogsOf;

function logsOf(
  ctx: DriverContext,
  api: KubernetesApi,
  { namespace = defaultNamespace, pod, container, tail = 100 }: LogsOf,
): Promise<string> {
  const query = { tailLines: tail, limitBytes: logBytes, ...(container !== undefined && { container }) };
  return api.read<string>(ctx, `/api/v1/namespaces/${namespace}/pods/${pod}/log`, { query, timeoutMs });
}
