import { DriverError, type FailureClass } from '@stave/driver-sdk';
import type { HttpAnswer } from '../http/http-request.js';
import type { Stack } from './stack.js';

interface Known {
  readonly pattern: RegExp;
  readonly failure: FailureClass;
  readonly code: string;
}

/** What Heat, Nova and Neutron say about failures that users can do something about, in the order in which they are looked for. */
const known: readonly Known[] = [
  {
    pattern: /quota (exceeded|for)|exceeded for|maximum number of stacks/i,
    failure: 'capacity',
    code: 'quota-exceeded',
  },
  { pattern: /no valid host|exceeded maximum number of retries/i, failure: 'capacity', code: 'no-valid-host' },
  { pattern: /availability zone is not available/i, failure: 'permanent', code: 'zone-unknown' },
  {
    pattern:
      /\bflavor\b.*(could not be found|no .* matching|not found|unknown|error validating)|error validating.*flavor/is,
    failure: 'permanent',
    code: 'flavor-unknown',
  },
  {
    pattern:
      /\bimage\b.*(could not be found|no .* matching|not found|unknown|error validating)|error validating.*image/is,
    failure: 'permanent',
    code: 'image-unknown',
  },
  { pattern: /WaitConditionTimeout/, failure: 'transient', code: 'node-not-ready' },
  { pattern: /WaitConditionFailure/, failure: 'transient', code: 'node-reported-failure' },
];

/** Returns the failure of a stack, with the reason that Heat gives for it. */
export function failureOfStack({ name, action, reason }: Stack): DriverError {
  return failureOf(`${action.toLowerCase()} of stack ${name} failed: ${reason}`, reason, 'transient');
}

/** Returns the failure that an answer means for the one who asked. Answers of 2xx and 3xx are no failures. */
export function failureOfAnswer(what: string, { status, body }: HttpAnswer, service = 'Heat'): DriverError {
  const reason = reasonIn(body);
  const message = `${what}: ${service} answers ${status}${reason && `, ${reason}`}`;
  if (status === 404) return new DriverError('notFound', message);
  if (status === 409) return new DriverError('conflict', message, { code: 'stack-exists' });
  if (status === 429 || status >= 500) return new DriverError('transient', message);
  return failureOf(message, reason, 'permanent');
}

function failureOf(message: string, reason: string, otherwise: FailureClass): DriverError {
  const found = known.find(({ pattern }) => pattern.test(reason));
  return found ? new DriverError(found.failure, message, { code: found.code }) : new DriverError(otherwise, message);
}

/** Heat's answers also have a trace of the program, which is for nobody. Nova and Neutron name the error instead of `error`. */
function reasonIn(body: unknown): string {
  const { error, explanation, ...rest } = (body ?? {}) as Readonly<Record<string, { message?: unknown } | undefined>>;
  const named = Object.values(rest).find(value => typeof value === 'object' && value !== null && 'message' in value);
  const message = error?.message ?? explanation ?? named?.message;
  return typeof message === 'string' ? message.trim() : '';
}
