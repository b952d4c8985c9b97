import type { Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import { DriverError, isTaskKind } from '@stave/driver-sdk';

export type StopReason = 'deadline' | 'cancelled' | 'draining' | 'stopping' | 'stale' | 'session';

const MAX_MESSAGE = 1_000;
const MAX_PLUGIN = 255;

/** A driver may use codes of its own, but none that the core says of conductors. */
const isOwnCode = (code: string | undefined): code is string =>
  code !== undefined && /^[a-z][a-z0-9-]{0,62}$/.test(code) && code !== 'conductor-lost-repeatedly';

const isPlugin = (plugin: string | undefined): plugin is string =>
  plugin !== undefined && plugin.length > 0 && plugin.length <= MAX_PLUGIN;

/** Returns the outcome for a failed driver call. Messages of unknown errors may contain secrets, so that only their name is reported. */
export function failureOf(error: unknown): TaskOutcome {
  if (error instanceof DriverError) {
    const code = isOwnCode(error.code) ? { code: error.code } : {};
    const plugin = isPlugin(error.plugin) ? { plugin: error.plugin } : {};
    return { type: 'failed', failure: error.failure, message: error.message.slice(0, MAX_MESSAGE), ...code, ...plugin };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { type: 'failed', failure: 'transient', message: `unexpected error: ${name}` };
}

/**
 * Returns the outcome to report; undefined when the conductor has lost the claim. `outcome`: that of the driver call, undefined when the
 * call did not stop in time. A completed task is reported as done, even if it should have stopped.
 */
export function reportedOutcome(
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
