import { randomUUID } from 'node:crypto';

export const roles = ['public', 'reader', 'member', 'admin', 'operator'] as const;
export type Role = (typeof roles)[number];

interface Operation {
  readonly operationId: string;
  readonly 'x-stave-role': Role;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

/** A request of one operation, as the OpenAPI document describes it. */
export interface RouteRequest {
  readonly id: string;
  readonly role: Role;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Whether it names a resource, which does not exist. */
  readonly isOfResource: boolean;
}

/** Sends a request in the name of somebody, and returns the status of the answer. */
export type SendAs = (request: RouteRequest) => Promise<number>;

/** Streams that do not end. */
const endless = ['/v1/events'];

/** A change is only planned, and names resources that do not exist: nothing is changed. */
function requestOf(path: string, method: string, operation: Operation): RouteRequest {
  const { operationId, parameters = [], requestBody, 'x-stave-role': role } = operation;
  const filled = path.replace(/\{\w+\}/g, () => randomUUID());
  const isPlannable = parameters.some(({ name }) => name === 'dryRun');
  const type = Object.values(requestBody?.content ?? {})[0];
  return {
    ...{ id: operationId, role, method: method.toUpperCase(), body: type?.example },
    path: `${filled}${isPlannable ? '?dryRun=true' : ''}`,
    isOfResource: filled !== path,
  };
}

/** Returns a request for every operation of a running product. */
export async function requestsOf(url: string): Promise<readonly RouteRequest[]> {
  const answer = await fetch(`${url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(path, method, operation)),
  );
}

/** Those requests that are answered at once. */
export const answered = (requests: readonly RouteRequest[]): readonly RouteRequest[] =>
  requests.filter(({ path, isOfResource }) => isOfResource || !endless.includes(path));

/** Sends a request with these headers. */
export const sentWith =
  (url: string, headers: Readonly<Record<string, string>>): SendAs =>
  async ({ method, path, body }) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const given = body === undefined ? { headers } : { headers: { ...headers, 'content-type': type } };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, { method, redirect: 'manual', ...given, ...sent });
    await answer.body?.cancel();
    return answer.status;
  };

/** What the rights decide: 401 without a credential, 403 below the role, anything else from the role on. */
export const outcomeOf = (status: number): number | 'admitted' =>
  status === 401 || status === 403 ? status : 'admitted';
