import { RefusedError, type FieldProblem } from '@stave/contracts';
import { validationFailed } from '@stave/service-kit';

export const notFound = (detail = 'no resource has this id or name'): RefusedError =>
  new RefusedError({ code: 'not-found', kind: 'not-found', detail });

export const unauthenticated = (): RefusedError =>
  new RefusedError({
    code: 'unauthenticated',
    kind: 'unauthenticated',
    detail: 'a valid API key or token is required',
  });

/** A refusal of malformed members of the request, with a code of its own. */
export const invalid = (code: string, errors: readonly FieldProblem[]): RefusedError =>
  new RefusedError({ ...validationFailed(errors).error, code });
