import type { Answer, Method, Plan } from '@stave/client';
import { session } from '../session/session.js';
import type { Query } from './queries.js';
import type { Page } from './types.js';

type Change = Exclude<Method, 'get'>;

/** A change as the API takes it. `path` is complete, such as the path of a remedy. */
export interface ChangeRequest {
  readonly method: Change;
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
}

type Read = (
  path: string,
  options: { readonly query: Query; readonly signal: AbortSignal },
) => Promise<Answer<unknown>>;
type Send = (path: string, options: { readonly body?: unknown }) => Promise<Answer<unknown>>;
type PlanOf = (
  method: Change,
  path: string,
  options: { readonly query?: Query; readonly body?: unknown },
) => Promise<Plan<unknown>>;

// the types of the client describe each path of its own; these paths are known when the page runs only
const read = session.client.get.bind(session.client) as unknown as Read;
const planOf = session.client.plan.bind(session.client) as unknown as PlanOf;
const send = (method: Change): Send => session.client[method].bind(session.client) as unknown as Send;

/** Reads a document of any path. */
export const readAt = async <T>(path: string, query: Query, signal: AbortSignal): Promise<T> =>
  (await read(path, { query, signal })).data as T;

export const readPage = <T>(path: string, query: Query, signal: AbortSignal): Promise<Page<T>> =>
  readAt<Page<T>>(path, query, signal);

/** Asks what a change would do. Nothing is changed before `apply()`. */
export const planned = ({ method, path, query, body }: ChangeRequest): Promise<Plan<unknown>> =>
  planOf(method, path, { ...(query === undefined ? {} : { query }), ...(body === undefined ? {} : { body }) });

/** Sends a request that plans cannot show, such as one that changes nothing, or whose answer holds a secret. */
export async function sent<T>({ method, path, body }: ChangeRequest): Promise<T> {
  const options = body === undefined ? {} : { body };
  return (await send(method)(path, options)).data as T;
}
