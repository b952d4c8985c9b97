import type { ResourceName } from '@stave/contracts';
import { alike, closed, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import type { ListFields } from '../schemas/list-fields.js';
import { plan, planOr, withPlanQuery } from '../schemas/plan.schemas.js';

/**
 * The permission that a route requires. `public` requires no credential; `reader`, `member` and `admin` require that role or a higher one
 * in the project of the request; `operator` requires an administrator of the installation.
 */
export type Access = 'public' | 'reader' | 'member' | 'admin' | 'operator';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Response schemas by status; null means a response without a body. */
export type Answers = Readonly<Record<number, JsonSchema | null>>;

const questions = [
  ...(['diff', 'stats', 'explain', 'credentials', 'lookup'] as const),
  ...(['of-target', 'attachments', 'autoscaling', 'members'] as const),
] as const;
/** A verb that changes nothing and whose parameters are forwarded as they are. */
type Question = (typeof questions)[number];
/** `history` reads the event store; every other verb is a message to the service that owns the resource. */
export type Verb =
  | 'list'
  | 'get'
  | 'create'
  | 'patch'
  | 'delete'
  | 'action'
  | 'attach'
  | 'detach'
  | 'quotas'
  | 'limit'
  | 'backtest'
  | 'history'
  | Question;
export const isQuestion = (verb: Verb): verb is Question => questions.some(question => question === verb);

export interface Dispatch {
  readonly resource: ResourceName;
  readonly verb: Verb;
  readonly action?: string;
  /** Members of the message and the path parameters that they are taken from; default: each parameter under its own name. */
  readonly target?: Readonly<Record<string, string>>;
  /** Members of the message that the path says without a parameter. */
  readonly fixed?: Readonly<Record<string, string>>;
}

/** One operation of the API. Dispatch, validation, OpenAPI, access control and tests all read this object. */
export interface Route {
  /** OpenAPI's operationId. */
  readonly id: string;
  readonly method: Method;
  /** A path with `:param` segments. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params: JsonSchema;
  readonly query: JsonSchema;
  /** The filters and sort keys of a list; `query` is derived from them. */
  readonly list?: ListFields;
  readonly body?: JsonSchema;
  /** A missing body counts as `{}`. */
  readonly bodyOptional: boolean;
  readonly answers: Answers;
  /** Media type of the response besides `application/json`; default none. */
  readonly mediaType?: string;
  /** Media type of the endless text that the route can answer with 200 instead of JSON. */
  readonly stream?: string;
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: string;
    readonly body?: unknown;
  };
  /** Absent when a controller handles the route (`@Handles`). */
  readonly dispatch?: Dispatch;
}

export interface RouteDeclaration extends Partial<Omit<Route, 'id' | 'method' | 'path'>> {
  /** Whether a change can be planned; default true. Otherwise `dryRun` and `planToken` are unknown parameters. */
  readonly plannable?: boolean;
  readonly summary: string;
  readonly answers: Answers;
}

const noQuery = closed({});

/** Returns the members of the message that name the target of a dispatch, with the path parameters that they are taken from. */
export const targetParams = ({ path }: Pick<Route, 'path'>, { target }: Dispatch): [member: string, param: string][] =>
  target ? Object.entries(target) : paramNames(path).map(name => [name, name]);

export const paramNames = (path: string): string[] => [...path.matchAll(/:([a-zA-Z]+)/g)].map(match => match[1] ?? '');

const paramsOf = (path: string, schema: JsonSchema): JsonSchema => {
  const names = paramNames(path);
  return closed(alike(schema, ...names), names);
};

const conditional: ReadonlySet<Verb> = new Set<Verb>(['patch', 'delete', 'action', 'attach', 'detach', 'limit']);

/** Whether a request is one for a change of a resource that shows its revision as `ETag`. Conductors have none. */
export const takesIfMatch = ({ dispatch }: Pick<Route, 'dispatch'>): boolean =>
  dispatch !== undefined && conditional.has(dispatch.verb) && dispatch.resource !== 'conductor';

/** Whether a change is one of something that exists, whose project is that of the change. */
export const hasTarget = ({ dispatch, id }: Pick<Route, 'dispatch' | 'id'>): boolean =>
  id === CANCEL_OPERATION || (dispatch !== undefined && conditional.has(dispatch.verb));

/** The id of the route that cancels an operation, which belongs to the project of its target. */
export const CANCEL_OPERATION = 'cancelOperation';

/** Path parameters that accept any text: names of drivers, ring keys, ids of operations. */
export const anyParams = (path: string): JsonSchema => paramsOf(path, p.text(1100, 1));

/** A change that can be requested as a plan and executed as planned. */
function withPlan({ query = noQuery, answers }: RouteDeclaration): Pick<Route, 'query' | 'answers'> {
  const done = answers[200];
  return { query: withPlanQuery(query), answers: { ...answers, 200: done ? planOr(done) : plan } };
}

/** Declares a route. Without `access`, GET requires a reader and every other method a member. */
export function route(
  id: string,
  method: Method,
  path: string,
  { plannable = method !== 'GET', ...declaration }: RouteDeclaration,
): Route {
  return {
    id,
    method,
    path,
    tag: path.split('/')[2] ?? 'service',
    access: method === 'GET' ? 'reader' : 'member',
    params: paramsOf(path, p.reference),
    query: noQuery,
    bodyOptional: false,
    example: {},
    ...declaration,
    ...(plannable ? withPlan(declaration) : {}),
  };
}
