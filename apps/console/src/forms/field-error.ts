import { ProblemError } from '@stave/client';

/** What the API says is wrong with the field at this pointer of the body. */
export function fieldError(error: Error | undefined, pointer: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.problem.errors?.find(one => one.pointer === pointer)?.detail;
}
