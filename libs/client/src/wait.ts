import { OperationError, WaitTimeoutError, type Operation } from './errors.js';

export interface WaitOptions {
  /** The longest time to wait, in milliseconds; default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called with the operation at first and then about once a second, until it has ended. */
  readonly onProgress?: (operation: Operation) => void;
}

/** The time that one request waits, in milliseconds. */
const SLICE_MS = 20_000;
const PROGRESS_MS = 1_000;

/** Reads the operation; the answer may take `waitMs` milliseconds. */
export type ReadOperation = (waitMs: number) => Promise<Operation>;

/** Returns the operation that has succeeded. Throws OperationError when it ended otherwise, WaitTimeoutError when the time is over. */
export async function waitForEnd(read: ReadOperation, options: WaitOptions): Promise<Operation> {
  const { timeoutMs = Infinity, onProgress } = options;
  const deadline = performance.now() + timeoutMs;
  const slice = onProgress ? PROGRESS_MS : SLICE_MS;
  let operation = await read(0);
  while (operation.status === 'PENDING' || operation.status === 'RUNNING') {
    onProgress?.(operation);
    const left = deadline - performance.now();
    if (left <= 0) throw new WaitTimeoutError(operation);
    operation = await read(Math.ceil(Math.min(slice, left)));
  }
  onProgress?.(operation);
  if (operation.status !== 'SUCCEEDED') throw new OperationError(operation);
  return operation;
}
