import { RefusedError, type FieldProblem } from '@stave/contracts';
import type { ValidateFunction } from 'ajv';
import type { Route } from '../routes/route.js';
import type { JsonSchema } from '../schemas/json-schema.js';
import { makeAjv } from './ajv.js';
import { fieldProblems, queryProblems } from './field-problems.js';
import { beyondJsonLimits } from './json-limits.js';

export type Values = Readonly<Record<string, unknown>>;

const invalid = (errors: readonly FieldProblem[]): RefusedError => {
  const [first] = errors;
  const detail = first ? `${first.pointer || 'the body'} ${first.detail}` : 'the request is not valid';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new RefusedError({ code: 'validation-failed', kind: 'invalid', detail: detail + more, errors });
};

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** Checks requests against their route's schemas; a schema is compiled when it is first used. */
export class RouteValidator {
  private readonly bodies = makeAjv(false);
  private readonly texts = makeAjv(true);
  private readonly compiled = new Map<JsonSchema, ValidateFunction>();

  /** Throws RefusedError with EVERY problem of query and body; a path that can name nothing is not found. */
  check(route: Route, params: Values, query: Values, body: unknown): void {
    if (!this.validator(route.params, 'text')(params))
      throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'nothing has such an id or name' });
    const errors = [...this.queryErrors(route, query), ...this.bodyErrors(route, body)];
    if (errors.length > 0) throw invalid(errors);
  }

  private queryErrors(route: Route, query: Values): FieldProblem[] {
    const validate = this.validator(route.query, 'text');
    if (!validate(query)) return queryProblems(validate.errors ?? []);
    const broken = Object.entries(query).filter(([, value]) => beyondJsonLimits(value).length > 0);
    return broken.map(([key]) => ({ pointer: `?${key}`, code: 'invalid-unicode', detail: 'is not valid Unicode' }));
  }

  private bodyErrors(route: Route, body: unknown): FieldProblem[] {
    if (!route.body) return this.unexpectedBody(body);
    if (body === undefined) return [{ pointer: '', code: 'required', detail: 'a JSON body is required' }];
    const beyond = beyondJsonLimits(body);
    if (beyond.length > 0) return beyond;
    const validate = this.validator(route.body, 'body');
    return validate(body) ? [] : fieldProblems(validate.errors ?? []);
  }

  private unexpectedBody(body: unknown): FieldProblem[] {
    if (body === undefined || body === null || (isObject(body) && Object.keys(body).length === 0)) return [];
    return [{ pointer: '', code: 'unknown-member', detail: 'takes no body' }];
  }

  private validator(schema: JsonSchema, kind: 'text' | 'body'): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const made = (kind === 'text' ? this.texts : this.bodies).compile(schema);
    this.compiled.set(schema, made);
    return made;
  }
}
