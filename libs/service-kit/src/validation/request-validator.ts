import { RefusedError, type FieldProblem, type ServiceRequest } from '@stave/contracts';
import { messageSchemas, requestMeta, type JsonSchema } from '@stave/contracts/schemas';
import { fieldProblems } from './field-problems.js';
import { beyondJsonLimits } from './json-limits.js';
import { createAjv } from './create-ajv.js';

/** One for the process: the gateway and the services of one process share what is compiled. */
const bodies = createAjv(false);

/** Returns every problem of a request body; none for a valid one. */
export function bodyProblems(schema: JsonSchema, body: unknown): FieldProblem[] {
  const beyond = beyondJsonLimits(body);
  if (beyond.length > 0) return beyond;
  const validate = bodies.compile(schema);
  return validate(body) ? [] : fieldProblems(validate.errors ?? []);
}

export function validationFailed(errors: readonly FieldProblem[]): RefusedError {
  const [first] = errors;
  const detail = first ? `${first.pointer || 'the body'} ${first.detail}` : 'the request is not valid';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new RefusedError({ code: 'validation-failed', kind: 'invalid', detail: detail + more, errors });
}

/**
 * Returns the check of the messages on a subject. The check returns the refusal of a message whose meta or body does not match the schemas
 * of the contracts, with every problem. Messages between conductors and services have no schema of their body.
 */
export function requestValidator(subject: string): (payload: unknown) => RefusedError | undefined {
  const schema = messageSchemas.get(subject);
  return payload => {
    const { meta, body } = (payload ?? {}) as Partial<ServiceRequest>;
    const inMeta = bodyProblems(requestMeta, meta).map(problem => ({ ...problem, pointer: `/meta${problem.pointer}` }));
    const errors = [...inMeta, ...(schema ? bodyProblems(schema, body) : [])];
    return errors.length > 0 ? validationFailed(errors) : undefined;
  };
}
