import type { ResourceName } from '@stave/contracts';
import { eventPage } from '../schemas/event.schemas.js';
import { resourceDiff } from '../schemas/history.schemas.js';
import type { JsonSchema } from '../schemas/json-schema.js';
import type { ListFields } from '../schemas/list-fields.js';
import { diffQuery, historyQuery, listQuery, noQuery, pastReadQuery, readQuery } from '../schemas/query.schemas.js';
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

interface Change {
  readonly body: JsonSchema;
  readonly example: unknown;
  readonly description?: string;
}

/** What the API offers for one resource type. A member that is absent means that there is no such route. */
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
  /** `work`: whether a creation starts an operation (202) or ends at once (201); default true. */
  readonly create?: Change & { readonly work?: boolean };
  readonly patch?: Change;
  readonly delete?: { readonly query?: JsonSchema };
  readonly actions?: Readonly<Record<string, Partial<Change>>>;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const wordsOf = (resource: string): string => resource.replaceAll('-', ' ').replace('api', 'API');
const withArticle = (words: string): string => `${/^[AEIO]/i.test(words) ? 'an' : 'a'} ${words}`;

/** Derives the routes of a resource type from its declaration. */
export function resourceRoutes(declaration: ResourceDeclaration): Route[] {
  const names = new Names(declaration);
  const reads = declaration.listOnly ? [list(declaration, names)] : readRoutes(declaration, names);
  return [...reads, ...writeRoutes(declaration, names), ...actionRoutes(declaration, names)];
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
  const { resource, schema, writeAccess, create, patch, delete: removal } = declaration;
  const routes: Route[] = [];
  const add = (
    verb: 'create' | 'patch' | 'delete',
    method: Method,
    path: string,
    more: Omit<RouteDeclaration, 'summary'>,
  ) =>
    routes.push(
      declared(`${verb === 'patch' ? 'update' : verb}${names.operation}`, method, path, writeAccess, {
        summary: `${verb === 'patch' ? 'Change' : capital(verb)} ${withArticle(names.words)}`,
        dispatch: { resource, verb },
        ...more,
      }),
    );
  if (create) {
    const answers: Answers = create.work === false ? { 201: schema } : { 201: schema, 202: schema };
    add('create', 'POST', names.collection, { ...bodyOf(create), answers });
  }
  if (patch) add('patch', 'PATCH', names.single, { ...bodyOf(patch), answers: { 200: schema, 202: schema } });
  if (removal)
    add('delete', 'DELETE', names.single, { query: removal.query ?? noQuery, answers: { 202: schema, 204: null } });
  return routes;
}

function actionRoutes({ resource, schema, writeAccess, actions = {} }: ResourceDeclaration, names: Names): Route[] {
  return Object.entries(actions).map(([action, { body = noQuery, example = {}, description }]) =>
    declared(`${action}${names.operation}`, 'POST', `${names.single}/actions/${action}`, writeAccess, {
      summary: `${capital(action)} ${withArticle(names.words)}`,
      ...bodyOf({ body, example, ...(description === undefined ? {} : { description }) }),
      bodyOptional: true,
      answers: { 200: schema, 202: schema },
      dispatch: { resource, verb: 'action', action },
    }),
  );
}

const bodyOf = ({
  body,
  example,
  description,
}: Change): Pick<RouteDeclaration, 'body' | 'example' | 'description'> => ({
  body,
  example: { body: example },
  ...(description === undefined ? {} : { description }),
});

function declared(
  id: string,
  method: Method,
  path: string,
  access: Access | undefined,
  declaration: RouteDeclaration & { readonly dispatch: Dispatch },
): Route {
  return route(id, method, path, access === undefined ? declaration : { access, ...declaration });
}
