import type { JsonSchema } from '../schemas/json-schema.js';
import { eventPage } from '../schemas/event.schemas.js';
import { resourceDiff } from '../schemas/history.schemas.js';
import { diffQuery, historyQuery, listQuery, noQuery, pastReadQuery, readQuery } from '../schemas/query.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import { page } from '../schemas/resource.schema.js';
import { route, type Access, type Answers, type Route } from './route.js';

export interface CrudDeclaration {
  /** Singular and plural, as operation ids have them: `cluster`, `clusters`. */
  readonly one: string;
  readonly many: string;
  readonly path: string;
  /** The parameter that names one; default `id`. */
  readonly param?: string;
  readonly schema: JsonSchema;
  readonly list: ListFields;
  readonly readAccess?: Access;
  readonly writeAccess?: Access;
  readonly deleteQuery?: JsonSchema;
  /** Whether its past can be asked for (`at`); default true. */
  readonly past?: boolean;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The routes of one resource type; each controller takes those that its type has. */
export class CrudRoutes {
  private readonly onePath: string;

  constructor(private readonly declaration: CrudDeclaration) {
    this.onePath = `${declaration.path}/:${declaration.param ?? 'id'}`;
  }

  list(): Route {
    const { many, path, schema, list, readAccess = 'reader', past = true } = this.declaration;
    const declared = { access: readAccess, query: listQuery(list, past), answers: { 200: page(schema) } };
    const example = { query: `limit=10&sort=-${list.sorts[0] ?? 'createdAt'}` };
    return route(`list${capital(many)}`, 'GET', path, { summary: `List ${many}`, ...declared, list, example });
  }

  get(): Route {
    const { one, schema, readAccess = 'reader', past = true } = this.declaration;
    const declared = { access: readAccess, query: past ? pastReadQuery : readQuery, answers: { 200: schema } };
    return route(`get${capital(one)}`, 'GET', this.onePath, { summary: `One ${one}`, ...declared });
  }

  history(): Route {
    const { one, readAccess = 'reader' } = this.declaration;
    const declared = { access: readAccess, query: historyQuery, answers: { 200: eventPage } };
    return route(`list${capital(one)}Events`, 'GET', `${this.onePath}/events`, {
      summary: `What happened to a ${one}, oldest first`,
      ...declared,
    });
  }

  diff(): Route {
    const { one, readAccess = 'reader' } = this.declaration;
    const declared = { access: readAccess, query: diffQuery, answers: { 200: resourceDiff } };
    return route(`diff${capital(one)}`, 'GET', `${this.onePath}/diff`, {
      summary: `What changed of a ${one} between two moments`,
      description: 'As JSON pointers into the resource; `revision` and `updatedAt` are in `from` and `to`.',
      ...declared,
      example: { query: 'from=1' },
    });
  }

  /** `accepted`: starts work (202); else 201. */
  create(body: JsonSchema, example: unknown, accepted = true, description?: string): Route {
    const { one, path, schema, writeAccess = 'member' } = this.declaration;
    const answers: Answers = accepted ? { 202: schema, 201: schema } : { 201: schema };
    const summary = `Create a ${one}`;
    return route(`create${capital(one)}`, 'POST', path, {
      summary,
      ...(description === undefined ? {} : { description }),
      access: writeAccess,
      body,
      answers,
      example: { body: example },
    });
  }

  patch(body: JsonSchema, example: unknown): Route {
    const { one, schema, writeAccess = 'member' } = this.declaration;
    const declared = { access: writeAccess, body, answers: { 200: schema, 202: schema }, example: { body: example } };
    return route(`update${capital(one)}`, 'PATCH', this.onePath, { summary: `Change a ${one}`, ...declared });
  }

  delete(): Route {
    const { one, schema, writeAccess = 'member', deleteQuery = noQuery } = this.declaration;
    const declared = { access: writeAccess, query: deleteQuery, answers: { 202: schema, 204: null } };
    return route(`delete${capital(one)}`, 'DELETE', this.onePath, { summary: `Delete a ${one}`, ...declared });
  }

  action(action: string, body: JsonSchema | undefined, example: unknown = {}): Route {
    const { one, schema, writeAccess = 'member' } = this.declaration;
    return route(`${action}${capital(one)}`, 'POST', `${this.onePath}/actions/${action}`, {
      summary: `${capital(action)} a ${one}`,
      access: writeAccess,
      body: body ?? noQuery,
      bodyOptional: true,
      answers: { 200: schema, 202: schema },
      example: { body: example },
    });
  }
}
