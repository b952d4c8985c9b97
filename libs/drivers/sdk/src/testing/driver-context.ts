import type { DriverContext } from '../driver.js';
import { silentLogger } from './silent-logger.js';

const ignore = (): void => undefined;

/** Builds the context of a task that nothing interrupts and that stores no secrets, with the given members. */
export function aDriverContext(overrides: Partial<DriverContext> = {}): DriverContext {
  return {
    signal: new AbortController().signal,
    log: silentLogger,
    now: () => performance.now(),
    secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
    progress: ignore,
    task: { taskId: 'test-task', attempt: 1, generation: 1 },
    checkpoint: ignore,
    ...overrides,
  };
}
