import type { FieldProblem } from '@stave/contracts';
import { bodyProblems, createAjv, lineProblems, queryProblems, validationFailed } from '@stave/service-kit';
import type { Values } from '../http/call.js';
import { isMembers, member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import type { Route } from '../routes/route.js';
import { unknownFields } from './known-fields.js';

export class RouteValidator {
  private readonly texts = createAjv(true);

  /** Throws RefusedError with every problem of query and body, or not-found when the path cannot name a resource. */
  check(route: Route, params: Values, query: Values, body: unknown): void {
    if (!this.texts.compile(route.params)(params)) throw notFound();
    const errors = [...this.queryErrors(route, query), ...bodyErrors(route, body)];
    if (errors.length > 0) throw validationFailed(errors);
  }

  private queryErrors(route: Route, query: Values): FieldProblem[] {
    const malformed = numberProblems(route, query);
    if (malformed.length > 0) return malformed;
    const validate = this.texts.compile(route.query);
    if (!validate(query)) return queryProblems(validate.errors ?? []);
    const unreadable = Object.entries(query).flatMap(([name, value]) => lineProblems(String(value), `?${name}`));
    return [...unreadable, ...unknownFields(route, query['fields'])];
  }
}

/** Decimal digits only: the coercion of ajv takes what JavaScript takes, such as `0x10` and `1e1`. */
const decimal = /^-?(?:0|[1-9][0-9]*)$/;

function numberProblems({ query: { properties } }: Route, query: Values): FieldProblem[] {
  const isInteger = (name: string): boolean => member(member(properties, name), 'type') === 'integer';
  const wrong = Object.keys(query).filter(name => isInteger(name) && !decimal.test(String(query[name])));
  return wrong.map(name => ({ pointer: `?${name}`, code: 'wrong-type', detail: 'must be integer' }));
}

function bodyErrors({ body: schema }: Route, body: unknown): FieldProblem[] {
  if (!schema) return isEmpty(body) ? [] : [{ pointer: '', code: 'unknown-member', detail: 'must be absent' }];
  if (body === undefined) return [{ pointer: '', code: 'required', detail: 'is required, in JSON' }];
  return bodyProblems(schema, body);
}

const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || (isMembers(body) && Object.keys(body).length === 0);
