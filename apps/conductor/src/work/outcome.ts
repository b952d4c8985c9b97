import type { ReportOutcome, Task } from '@stave/contracts';
import { DriverError, isTaskKind, type DriverTask } from '@stave/driver-sdk';

/** Why a running task was told to stop. */
export type StopReason = 'deadline' | 'cancelled' | 'draining' | 'stopping' | 'stale' | 'session';

const MAX_MESSAGE = 1_000;

/** What a driver's failure is reported as. Messages of unknown errors may hold anything, so only their name is passed on. */
export function failureOf(error: unknown): ReportOutcome {
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
  outcome: ReportOutcome | undefined,
  stop: StopReason | undefined,
  timeoutMs: number,
): ReportOutcome | undefined {
  if (stop === 'stale' || stop === 'session') return undefined;
  if (outcome?.type === 'done') return outcome;
  if (stop === 'deadline') {
    return { type: 'failed', failure: 'transient', message: `not finished within ${timeoutMs} ms` };
  }
  return stop === undefined ? outcome : { type: 'released', reason: stop };
}

/** Whether the spec is of the task's resource; its further shape is what the owning service made for this kind. */
export function hasSpecOfItsKind<T extends Task>(task: T): task is T & DriverTask {
  return isTaskKind(task.kind) && task.spec['id'] === task.resource.id && typeof task.spec['generation'] === 'number';
}
