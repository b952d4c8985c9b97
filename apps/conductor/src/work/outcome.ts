import type { Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import { DriverError, isTaskKind } from '@stave/driver-sdk';

/** Why a running task was told to stop. */
export type StopReason = 'deadline' | 'cancelled' | 'draining' | 'stopping' | 'stale' | 'session';

const MAX_MESSAGE = 1_000;

/** What a driver's failure is reported as. Messages of unknown errors may hold anything, so only their name is passed on. */
export function failureOf(error: unknown): TaskOutcome {
  if (error instanceof DriverError) {
    return { type: 'failed', failure: error.failure, message: error.message.slice(0, MAX_MESSAGE) };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { type: 'failed', failure: 'transient', message: `unexpected error: ${name}` };
}

/**
 * What is reported, given what the driver call came to (undefined: it did not stop in time) and why it was told to stop.
 * Undefined: nothing, because the claim is not ours any more. What was done is reported as done, whatever was asked meanwhile.
 */
export function concludes(
  outcome: TaskOutcome | undefined,
  stop: StopReason | undefined,
  timeoutMs: number,
): TaskOutcome | undefined {
  if (stop === 'stale' || stop === 'session') return undefined;
  if (outcome?.type === 'done') return outcome;
  if (stop === 'deadline') {
    return { type: 'failed', failure: 'transient', message: `not finished within ${timeoutMs} ms` };
  }
  return stop === undefined ? outcome : { type: 'released', reason: stop };
}

/** Returns whether a task from the wire is of a known kind and its specification is of the task's resource. */
export function hasSpecOfItsKind({ kind, spec, resource }: Task): boolean {
  return isTaskKind(kind) && spec.id === resource.id && typeof spec.generation === 'number';
}
