import type { ResourceName } from '@stave/contracts';
import { resourceRequests, type JsonSchema } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { eventPage, resourceDiff } from '../schemas/event.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import { diffQuery, historyQuery, listQuery, pastReadQuery, readQuery } from '../schemas/query.schemas.js';
import { page } from '../schemas/resource.schema.js';
import {
  anyParams,
  route,
  type Access,
  type Answers,
  type Method,
  type Route,
  type RouteDeclaration,
  type Verb,
} from './route.js';

/** The routes of one resource type. Those of changes follow from the requests that the contracts declare for the type. */
export interface ResourceDeclaration {
  readonly resource: ResourceName;
  /** The singular in operation ids; default: the resource's name in camel case. */
  readonly one?: string;
  /** The plural of `one`; default: with an s. */
  readonly many?: string;
  /** The path of the collection; default `/v1/<resource>s`. */
  readonly path?: string;
  /** The path parameter of single resources, which then takes any text; default: `id`, which takes an id or a name. */
  readonly key?: string;
  readonly schema: JsonSchema;
  readonly list: ListFields;
  /** The collection is a view of the resources below another one: there are no routes of single resources. */
  readonly listOnly?: boolean;
  readonly readAccess?: Access;
  readonly writeAccess?: Access;
  /** Of changes by PATCH; default: `writeAccess`. */
  readonly patchAccess?: Access;
  /** Of single actions; default: `writeAccess`. */
  readonly actionAccess?: Readonly<Record<string, Access>>;
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
  /** Summaries of `get` and of actions; default: the verb and the name of the resource. */
  readonly summaries?: Readonly<Record<string, string>>;
}

interface Row extends RouteDeclaration {
  /** The operation id. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly verb: Verb;
  readonly action?: string;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** Converts the name of a resource type to its stream category: `nodeGroup` for `node-group`. */
export const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Derives the routes of a resource type from its declaration. */
export function resourceRoutes(declaration: ResourceDeclaration): Route[] {
  const {
    resource,
    key,
    readAccess,
    writeAccess,
    patchAccess = writeAccess,
    actionAccess = {},
    listOnly,
  } = declaration;
  const names = namesOf(declaration);
  const rows = [list(declaration, names)];
  if (!listOnly)
    rows.push(...reads(declaration, names), ...changes(declaration, names), ...actions(declaration, names));
  return rows.map(({ id, method, path, verb, action, ...more }) => {
    const target = key !== undefined && key !== 'id' && verb !== 'list' ? { id: key } : undefined;
    const dispatch = { resource, verb, ...omitUndefined({ action, target }) };
    const params = key === undefined || verb === 'list' ? undefined : anyParams(path);
    const changeAccess = method === 'PATCH' ? patchAccess : writeAccess;
    const access = method === 'GET' ? readAccess : (actionAccess[action ?? ''] ?? changeAccess);
    return route(id, method, path, { ...omitUndefined({ access, params }), ...more, dispatch });
  });
}

type Names = ReturnType<typeof namesOf>;

function namesOf({
  resource,
  one = camelCase(resource),
  many = `${one}s`,
  path = `/v1/${resource}s`,
  key = 'id',
}: ResourceDeclaration) {
  const words = resource.replaceAll('-', ' ').replace('api', 'API');
  const aResource = `${/^[AEIO]/i.test(words) ? 'an' : 'a'} ${words}`;
  const operations = capital(many);
  const allWords = many === `${one}s` ? `${words}s` : many;
  return {
    operation: capital(one),
    operations,
    allWords,
    collection: path,
    single: `${path}/:${key}`,
    words,
    aResource,
  };
}

function list({ schema, list: fields, history = true }: ResourceDeclaration, names: Names): Row {
  return {
    id: `list${names.operations}`,
    method: 'GET',
    path: names.collection,
    verb: 'list',
    summary: `List ${names.allWords}`,
    query: listQuery(fields, history),
    answers: { 200: page(schema) },
    list: fields,
    example: { query: `limit=10&sort=-${fields.sorts[0] ?? 'createdAt'}` },
  };
}

function* reads({ schema, summaries = {}, history = true }: ResourceDeclaration, names: Names): Generator<Row> {
  const { operation, single, aResource } = names;
  yield {
    id: `get${operation}`,
    method: 'GET',
    path: single,
    verb: 'get',
    summary: summaries['get'] ?? `Get ${aResource}`,
    query: history ? pastReadQuery : readQuery,
    answers: { 200: schema },
  };
  if (!history) return;
  yield {
    id: `list${operation}Events`,
    method: 'GET',
    path: `${single}/events`,
    verb: 'history',
    summary: `List the events of ${aResource}, oldest first`,
    query: historyQuery,
    answers: { 200: eventPage },
  };
  yield {
    id: `diff${operation}`,
    method: 'GET',
    path: `${single}/diff`,
    verb: 'diff',
    summary: `Compare two states of ${aResource}`,
    description: 'Changes are JSON pointers into the resource; `from` and `to` carry `revision` and time.',
    query: diffQuery,
    answers: { 200: resourceDiff },
    example: { query: 'from=1' },
  };
}

function* changes({ resource, schema, create, examples = {} }: ResourceDeclaration, names: Names): Generator<Row> {
  const { operation, collection, single: path, aResource } = names;
  const requests = resourceRequests[resource];
  if (create && requests.create) {
    const { example, description, startsOperation = true, body = requests.create } = create;
    const answers: Answers = startsOperation ? { 201: schema, 202: schema } : { 201: schema };
    const more = { body, example: { body: example }, answers, ...omitUndefined({ description }) };
    const summary = `Create ${aResource}`;
    yield { id: `create${operation}`, method: 'POST', path: collection, verb: 'create', summary, ...more };
  }
  if (requests.patch) {
    const query = omitUndefined({ query: requests.patchOptions });
    const example = { body: examples['patch'] };
    const more = { body: requests.patch, ...query, example, answers: { 200: schema, 202: schema } };
    yield { id: `update${operation}`, method: 'PATCH', path, verb: 'patch', summary: `Update ${aResource}`, ...more };
  }
  if (requests.delete) {
    const more = { query: requests.delete, answers: { 202: schema, 204: null } };
    yield { id: `delete${operation}`, method: 'DELETE', path, verb: 'delete', summary: `Delete ${aResource}`, ...more };
  }
}

function actions({ resource, schema, summaries = {}, examples = {} }: ResourceDeclaration, names: Names): Row[] {
  return Object.entries(resourceRequests[resource].actions ?? {}).map(([action, body]) => ({
    id: `${camelCase(action)}${names.operation}`,
    method: 'POST',
    path: `${names.single}/actions/${action}`,
    verb: 'action',
    action,
    summary: summaries[action] ?? `${capital(action)} ${names.aResource}`,
    body,
    bodyOptional: true,
    example: { body: examples[action] ?? {} },
    answers: { 200: schema, 202: schema },
  }));
}
