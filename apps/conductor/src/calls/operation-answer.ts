import type { ErrorKind, FieldProblem, ServiceError } from '@stave/contracts';
import {
  DriverError,
  operationDefaults,
  operationPartProblems,
  type DriverLogger,
  type DriverOperation,
  type FailureClass,
  type OptionProblem,
} from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';

/** Refuses a call of an operation, or says what is wrong with its answer. */
export class OperationError extends Error {
  constructor(readonly error: ServiceError) {
    super(error.detail);
    this.name = 'OperationError';
  }
}

const refusal = (kind: ErrorKind, code: string, detail: string, errors?: readonly FieldProblem[]): OperationError =>
  new OperationError({ code, kind, detail, ...(errors && { errors }) });

export const driverTimeout = ({ name, deadlineSeconds = operationDefaults.deadlineSeconds }: DriverOperation) =>
  refusal('unavailable', 'driver-timeout', `operation ${name} did not answer within ${deadlineSeconds} s`);

export const answerInvalid = ({ name }: DriverOperation, why: string): OperationError =>
  refusal('bad-answer', 'driver-answer-invalid', `the answer of operation ${name} ${why}`);

export const unknownOperation = (driver: string, name: string): OperationError =>
  refusal('not-found', 'unknown-operation', `driver ${driver} has no operation ${name}`);

const codes: Readonly<Record<string, string>> = {
  unknown: 'unknown-member',
  type: 'wrong-type',
  enum: 'not-allowed',
  const: 'not-allowed',
  pattern: 'malformed',
  format: 'malformed',
  minimum: 'out-of-range',
  maximum: 'out-of-range',
  exclusiveMinimum: 'out-of-range',
  exclusiveMaximum: 'out-of-range',
  minLength: 'too-short',
  maxLength: 'too-long',
  minItems: 'too-few',
  maxItems: 'too-many',
};

const fieldProblem = ({ pointer, code, detail }: OptionProblem): FieldProblem => ({
  pointer,
  code: code === 'required' ? code : (codes[code] ?? 'invalid'),
  detail: code === 'required' ? 'is required' : code === 'unknown' ? 'is not known here' : detail,
});

/** Throws OperationError `validation-failed` that names every member of parameters and body that breaks its schema. */
export function checkCall(operation: DriverOperation, parameters: unknown, body: unknown): void {
  const isBodyUnwanted = operation.request === undefined && body !== undefined;
  const errors = [
    ...operationPartProblems(operation, 'parameters', parameters).map(fieldProblem),
    ...(isBodyUnwanted ? [{ pointer: '', code: 'unknown-member', detail: 'must be absent' }] : []),
    ...(operation.request ? operationPartProblems(operation, 'request', body ?? {}).map(fieldProblem) : []),
  ];
  if (errors.length === 0) return;
  const detail = errors.map(({ pointer, detail: text }) => `${pointer || 'the body'} ${text}`).join('; ');
  throw refusal('invalid', 'validation-failed', detail, errors);
}

/**
 * Returns an answer, or a piece of one, as JSON without known secrets. Throws OperationError: `driver-answer-invalid` for what is no JSON or
 * breaks its schema, `driver-answer-too-large`.
 */
export function answerText(operation: DriverOperation, answer: unknown): string {
  const text = jsonOf(operation, answer);
  const { maxAnswerBytes = operationDefaults.maxAnswerBytes } = operation;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxAnswerBytes) {
    const detail = `the answer of operation ${operation.name} has ${bytes} bytes; the limit is ${maxAnswerBytes}`;
    throw refusal('bad-answer', 'driver-answer-too-large', detail);
  }
  const problems = operationPartProblems(operation, 'answer', JSON.parse(text));
  const [first] = problems;
  if (first) throw answerInvalid(operation, `breaks its schema: ${first.pointer || '/'} ${first.detail}`);
  return knownSecrets.cutText(text);
}

function jsonOf(operation: DriverOperation, answer: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(answer);
  } catch {
    throw answerInvalid(operation, 'is not JSON');
  }
  if (text === undefined) throw answerInvalid(operation, 'is not JSON');
  return text;
}

const kinds: Readonly<Record<FailureClass, readonly [kind: ErrorKind, code: string]>> = {
  transient: ['unavailable', 'driver-transient'],
  capacity: ['capacity', 'driver-capacity'],
  permanent: ['rule', 'driver-permanent'],
  notFound: ['not-found', 'driver-not-found'],
  conflict: ['conflict', 'driver-conflict'],
  unsupported: ['unsupported', 'driver-unsupported'],
};

/** Returns what clients see of an error of an operation. The text of an error that a driver must not throw is not disclosed. */
export function operationErrorOf(error: unknown): ServiceError {
  if (error instanceof OperationError) return error.error;
  if (error instanceof DriverError) {
    const [kind, code] = kinds[error.failure];
    return { kind, code: error.code ?? code, detail: error.message };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { code: 'driver-failed', kind: 'unavailable', detail: `unexpected error: ${name}` };
}

interface Failed {
  /** What was asked for, such as `call`. */
  readonly what: string;
  readonly fields: object;
  readonly error: unknown;
  /** What the caller sees of the error. */
  readonly shown: ServiceError;
}

const failures: readonly ErrorKind[] = ['unavailable', 'bad-answer', 'internal'];

/** Logs a failure as a warning with its stack, and what was refused because of what its caller asked for as one line. */
export function logFailed(log: DriverLogger, { what, fields, error, shown }: Failed): void {
  const said = { ...fields, code: shown.code };
  if (failures.includes(shown.kind)) return log.warn({ ...said, err: error }, `${what} failed`);
  // the reason of a schema may quote what the caller sent
  log.info({ ...said, ...(error instanceof DriverError && { reason: error.message }) }, `${what} refused`);
}
