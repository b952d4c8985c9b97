import { ConnectionError, OperationError, ProblemError, StaveError } from '@stave/client';
import { CommanderError } from 'commander';
import { CommandFailure, exitCodes, UsageError, type ExitCode } from './exit-codes.js';
import { memberOf, printable } from './output/values.js';

/** What a command ends with after an error, and what is said about it. */
export interface Failure {
  readonly code: ExitCode | number;
  readonly lines: readonly string[];
}

const STALE = new Set(['plan-stale', 'revision-mismatch']);

/** A pointer of a problem as the flag that sets this member: `/flavor/cpus` is `--set flavor.cpus`. */
function flagOf(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer;
  return `--set ${memberOf(pointer)}`;
}

function problemFailure({ problem, status, code, errors }: ProblemError): Failure {
  const fields = errors.map(({ pointer, detail }) => `  ${printable(flagOf(pointer))}: ${printable(detail)}`);
  const lines = [
    printable(problem.detail ?? problem.title),
    ...fields,
    `(${code}, correlation id ${problem.correlationId})`,
  ];
  const exit =
    status === 401 || status === 403
      ? exitCodes.denied
      : status === 412 || STALE.has(code)
        ? exitCodes.stale
        : exitCodes.refused;
  return { code: exit, lines };
}

/** Returns the exit code and the message for an error. Throws errors that are none of a user's or of a server's. */
export function failureOf(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted) return { code: exitCodes.interrupted, lines: [] };
  if (error instanceof CommanderError)
    return { code: error.exitCode === 0 ? exitCodes.done : exitCodes.usage, lines: [] };
  if (error instanceof UsageError) return { code: exitCodes.usage, lines: [error.message] };
  if (error instanceof CommandFailure) return { code: error.code, lines: error.message.split('\n') };
  if (error instanceof ProblemError) return problemFailure(error);
  if (error instanceof OperationError) return { code: exitCodes.failed, lines: [printable(error.message)] };
  if (error instanceof ConnectionError)
    return { code: exitCodes.refused, lines: [`The API gave no answer: ${error.reason}. stave doctor looks closer.`] };
  if (error instanceof StaveError) return { code: exitCodes.refused, lines: [printable(error.message)] };
  throw error;
}
