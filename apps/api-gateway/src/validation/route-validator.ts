import type { FieldProblem } from '@stave/contracts';
import { beyondJsonLimits, bodyProblems, queryProblems, createAjv, validationFailed } from '@stave/service-kit';
import type { Values } from '../http/call.js';
import { isMembers } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import type { Route } from '../routes/route.js';

/** Checks requests against the schemas of their route. */
export class RouteValidator {
  private readonly texts = createAjv(true);

  /** Throws RefusedError with every problem of query and body, or not-found when the path cannot name a resource. */
  check(route: Route, params: Values, query: Values, body: unknown): void {
    if (!this.texts.compile(route.params)(params)) throw notFound();
    const errors = [...this.queryErrors(route, query), ...bodyErrors(route, body)];
    if (errors.length > 0) throw validationFailed(errors);
  }

  private queryErrors(route: Route, query: Values): FieldProblem[] {
    const validate = this.texts.compile(route.query);
    if (!validate(query)) return queryProblems(validate.errors ?? []);
    const broken = Object.entries(query).filter(([, value]) => beyondJsonLimits(value).length > 0);
    return broken.map(([key]) => ({ pointer: `?${key}`, code: 'invalid-unicode', detail: 'is not valid Unicode' }));
  }
}

function bodyErrors({ body: schema }: Route, body: unknown): FieldProblem[] {
  if (!schema) return isEmpty(body) ? [] : [{ pointer: '', code: 'unknown-member', detail: 'must be absent' }];
  if (body === undefined) return [{ pointer: '', code: 'required', detail: 'is required, in JSON' }];
  return bodyProblems(schema, body);
}

const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || (isMembers(body) && Object.keys(body).length === 0);
