type RefusalKind =
  'invalid' | 'rule' | 'not-found' | 'conflict' | 'precondition' | 'capacity' | 'unsupported' | 'unavailable';

export interface Problem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The reason why a command was refused. `code` is stable; `detail` is for people. */
export interface Refusal {
  readonly code: string;
  readonly kind: RefusalKind;
  readonly detail: string;
  readonly errors?: readonly Problem[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

export const notFound = (what: string): Refusal => ({
  code: 'not-found',
  kind: 'not-found',
  detail: `${what} does not exist`,
});
export const conflict = (code: string, detail: string): Refusal => ({ code, kind: 'conflict', detail });
/** All broken rules of meaning at once. */
export const brokenRules = (errors: readonly Problem[]): Refusal => ({
  code: errors.length === 1 && errors[0] ? errors[0].code : 'validation-failed',
  kind: 'rule',
  detail: errors.map(e => e.detail).join('; '),
  errors,
});
/** If-Match named a revision that is not the current one any more. */
export const revisionMismatch = (expected: number, actual: number): Refusal => ({
  code: 'revision-mismatch',
  kind: 'precondition',
  detail: `the resource is at revision ${actual}, not ${expected}`,
  extra: { revision: actual },
});
