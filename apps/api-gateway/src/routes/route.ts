import type { JsonSchema, Properties } from '../schemas/json-schema.js';
import { closed } from '../schemas/json-schema.js';
import type { ListFields } from '../schemas/list-fields.js';
import * as p from '../schemas/primitive.schemas.js';
import { plan, planOr, withPlanQuery } from '../schemas/plan.schemas.js';
import { noQuery } from '../schemas/query.schemas.js';

/**
 * Who may: `public` needs no key; `reader`, `member`, `admin` any key of that role or above; `operator` an administrator of
 * the whole installation (a key without a project).
 */
export type Access = 'public' | 'reader' | 'member' | 'admin' | 'operator';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An answer by status; null: no body. */
export type Answers = Readonly<Record<number, JsonSchema | null>>;

export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** Everything about one operation of the API; validation, OpenAPI, access and tests all read it. */
export interface Route {
  /** OpenAPI's operationId. */
  readonly id: string;
  readonly method: Method;
  /** With `:param` segments. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What the summary has no room for; OpenAPI's description. */
  readonly description?: string;
  readonly access: Access;
  readonly params: JsonSchema;
  readonly query: JsonSchema;
  /** Of a list: what it can be filtered and sorted by; `query` follows from it. */
  readonly list?: ListFields;
  readonly body?: JsonSchema;
  /** A missing body counts as `{}`. */
  readonly bodyOptional: boolean;
  readonly answers: Answers;
  /** Media type of the text that it may answer with 200 instead, without an end. */
  readonly stream?: string;
  readonly example: RouteExample;
}

export interface RouteDeclaration extends Partial<Omit<Route, 'id' | 'method' | 'path'>> {
  readonly summary: string;
  readonly answers: Answers;
}

const routes: Route[] = [];

/** Every declared route, in order of declaration. */
export const declaredRoutes = (): readonly Route[] => routes;

const paramNames = (path: string): string[] => [...path.matchAll(/:([a-zA-Z]+)/g)].map(match => match[1] ?? '');

function paramsOf(path: string): JsonSchema {
  const properties: Properties = Object.fromEntries(paramNames(path).map(param => [param, p.reference]));
  return closed(properties, Object.keys(properties));
}

/** A resource is named by anything that a URL can carry. */
export const anyParams = (...params: readonly string[]): JsonSchema =>
  closed(Object.fromEntries(params.map(param => [param, p.text(1100, 1)])), params);

export const anyParam = (param: string): JsonSchema => anyParams(param);

/** Every change can be asked for as a plan, and be done as it was planned. */
function plannable(declaration: RouteDeclaration): Pick<Route, 'query' | 'answers'> {
  const { query = noQuery, answers } = declaration;
  const done = answers[200];
  return {
    query: withPlanQuery(query),
    answers: { 200: done ? planOr(done) : plan, ...answersBut200(answers) },
  };
}

function answersBut200({ 200: _ok, ...others }: Answers): Answers {
  return others;
}

/** Declares a route. GET is for readers, everything else for members, unless said otherwise. */
export function route(id: string, method: Method, path: string, declaration: RouteDeclaration): Route {
  const declared: Route = {
    id,
    method,
    path,
    tag: path.split('/')[2] ?? 'service',
    access: method === 'GET' ? 'reader' : 'member',
    params: paramsOf(path),
    query: noQuery,
    bodyOptional: false,
    example: {},
    ...declaration,
    ...(method === 'GET' ? {} : plannable(declaration)),
  };
  routes.push(declared);
  return declared;
}
