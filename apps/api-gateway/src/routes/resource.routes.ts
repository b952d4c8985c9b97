import type { ResourceName } from '@stave/contracts';
import { resourceRequests, type JsonSchema } from '@stave/contracts/schemas';
import { eventPage } from '../schemas/event.schemas.js';
import { resourceDiff } from '../schemas/history.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import { diffQuery, historyQuery, listQuery, pastReadQuery, readQuery } from '../schemas/query.schemas.js';
import { page } from '../schemas/resource.schema.js';
import {
  route,
  type Access,
  type Answers,
  type Dispatch,
  type Method,
  type Route,
  type RouteDeclaration,
} from './route.js';

/** The routes of one resource type. Those of changes follow from the requests that the contracts declare for the type. */
export interface ResourceDeclaration {
  readonly resource: ResourceName;
  /** The singular in operation ids; default: the resource's name in camel case. */
  readonly one?: string;
  /** The path of the collection; default `/v1/<resource>s`. */
  readonly path?: string;
  readonly schema: JsonSchema;
  readonly list: ListFields;
  /** The collection is a view of the resources below another one: there are no routes of single resources. */
  readonly listOnly?: boolean;
  readonly readAccess?: Access;
  readonly writeAccess?: Access;
  /** Whether reads take `at`, and `/events` and `/diff` exist; default true. */
  readonly history?: boolean;
  readonly create?: {
    readonly example: unknown;
    readonly description?: string;
    /** Whether a creation starts an operation (202) or ends at once (201); default true. */
    readonly startsOperation?: boolean;
    /** The body where the path says more than `/v1/<resource>s`; default: that of the contracts. */
    readonly body?: JsonSchema;
  };
  /** Example bodies of `patch` and of actions; default of an action: none. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const wordsOf = (resource: string): string => resource.replaceAll('-', ' ').replace('api', 'API');
const withArticle = (words: string): string => `${/^[AEIO]/i.test(words) ? 'an' : 'a'} ${words}`;

/** Derives the routes of a resource type from its declaration. */
export function resourceRoutes(declaration: ResourceDeclaration): Route[] {
  const names = new Names(declaration);
  if (declaration.listOnly) return [list(declaration, names)];
  return [...readRoutes(declaration, names), ...writeRoutes(declaration, names), ...actionRoutes(declaration, names)];
}

class Names {
  /** The end of operation ids: `NodeGroup`. */
  readonly operation: string;
  readonly collection: string;
  readonly single: string;
  readonly words: string;

  constructor({ resource, one = camelCase(resource), path = `/v1/${resource}s` }: ResourceDeclaration) {
    this.operation = capital(one);
    this.collection = path;
    this.single = `${path}/:id`;
    this.words = wordsOf(resource);
  }
}

function list(
  { resource, schema, list: fields, readAccess, history = true }: ResourceDeclaration,
  names: Names,
): Route {
  return declared(`list${names.operation}s`, 'GET', names.collection, readAccess, {
    summary: `List ${names.words}s`,
    query: listQuery(fields, history),
    answers: { 200: page(schema) },
    list: fields,
    example: { query: `limit=10&sort=-${fields.sorts[0] ?? 'createdAt'}` },
    dispatch: { resource, verb: 'list' },
  });
}

function readRoutes(declaration: ResourceDeclaration, names: Names): Route[] {
  const { resource, schema, readAccess, history = true } = declaration;
  const get = declared(`get${names.operation}`, 'GET', names.single, readAccess, {
    summary: `Get ${withArticle(names.words)}`,
    query: history ? pastReadQuery : readQuery,
    answers: { 200: schema },
    dispatch: { resource, verb: 'get' },
  });
  return [list(declaration, names), get, ...(history ? historyRoutes(declaration, names) : [])];
}

function historyRoutes({ resource, readAccess }: ResourceDeclaration, names: Names): Route[] {
  return [
    declared(`list${names.operation}Events`, 'GET', `${names.single}/events`, readAccess, {
      summary: `List the events of ${withArticle(names.words)}, oldest first`,
      query: historyQuery,
      answers: { 200: eventPage },
      dispatch: { resource, verb: 'history' },
    }),
    declared(`diff${names.operation}`, 'GET', `${names.single}/diff`, readAccess, {
      summary: `Compare two states of ${withArticle(names.words)}`,
      description: 'Changes are JSON pointers into the resource; `from` and `to` carry `revision` and time.',
      query: diffQuery,
      answers: { 200: resourceDiff },
      example: { query: 'from=1' },
      dispatch: { resource, verb: 'diff' },
    }),
  ];
}

function writeRoutes(declaration: ResourceDeclaration, names: Names): Route[] {
  const { resource, schema, create, examples = {} } = declaration;
  const requests = resourceRequests[resource];
  const routes: Route[] = [];
  if (create && requests.create) {
    const { example, description, startsOperation = true, body = requests.create } = create;
    const answers: Answers = startsOperation ? { 201: schema, 202: schema } : { 201: schema };
    const described = description === undefined ? {} : { description };
    const more = { body, example: { body: example }, answers, ...described };
    routes.push(change(declaration, names, 'create', 'POST', more));
  }
  if (requests.patch) {
    const more = { body: requests.patch, example: { body: examples['patch'] }, answers: { 200: schema, 202: schema } };
    routes.push(change(declaration, names, 'patch', 'PATCH', more));
  }
  if (requests.delete)
    routes.push(
      change(declaration, names, 'delete', 'DELETE', { query: requests.delete, answers: { 202: schema, 204: null } }),
    );
  return routes;
}

const changeVerbs = { create: 'create', patch: 'update', delete: 'delete' } as const;

function change(
  { resource, writeAccess }: ResourceDeclaration,
  names: Names,
  verb: keyof typeof changeVerbs,
  method: Method,
  more: Omit<RouteDeclaration, 'summary'>,
): Route {
  const path = verb === 'create' ? names.collection : names.single;
  return declared(`${changeVerbs[verb]}${names.operation}`, method, path, writeAccess, {
    summary: `${capital(changeVerbs[verb])} ${withArticle(names.words)}`,
    dispatch: { resource, verb },
    ...more,
  });
}

function actionRoutes({ resource, schema, writeAccess, examples = {} }: ResourceDeclaration, names: Names): Route[] {
  return Object.entries(resourceRequests[resource].actions ?? {}).map(([action, body]) =>
    declared(`${action}${names.operation}`, 'POST', `${names.single}/actions/${action}`, writeAccess, {
      summary: `${capital(action)} ${withArticle(names.words)}`,
      body,
      bodyOptional: true,
      example: { body: examples[action] ?? {} },
      answers: { 200: schema, 202: schema },
      dispatch: { resource, verb: 'action', action },
    }),
  );
}

function declared(
  id: string,
  method: Method,
  path: string,
  access: Access | undefined,
  declaration: RouteDeclaration & { readonly dispatch: Dispatch },
): Route {
  return route(id, method, path, access === undefined ? declaration : { access, ...declaration });
}
