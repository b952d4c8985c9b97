import { DriverError, type FailureClass } from '@stave/driver-sdk';

/** What an engine answered other than success; `status` is 0 when there was no answer. */
export class EngineError extends DriverError {
  constructor(
    failure: FailureClass,
    message: string,
    readonly status: number,
    options?: { cause?: unknown },
  ) {
    super(failure, message, options);
    this.name = 'EngineError';
  }
}

const byStatus: Readonly<Record<number, FailureClass>> = {
  400: 'permanent',
  401: 'permanent',
  403: 'conflict',
  404: 'notFound',
  409: 'conflict',
  501: 'unsupported',
};

/** The engine reports a full disk as 500, and a limit above the machine's as 400. */
function isCapacity(message: string): boolean {
  return /no space left on device|range of cpus is from|could not find an available/i.test(message);
}

/** Classes an answer of the engine: what the status says, except for lack of room, which has no status of its own. */
export function engineAnswered(call: string, status: number, message: string): EngineError {
  const failure = isCapacity(message) ? 'capacity' : (byStatus[status] ?? 'transient');
  return new EngineError(failure, `${call}: ${status} ${message}`, status);
}

/** True for an answer with one of these statuses. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof EngineError && statuses.includes(error.status);
}

/** Takes one of these answers for `undefined`: what is gone, or was done before, is success. */
export async function unless<T>(statuses: readonly number[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, ...statuses)) return undefined;
    throw error;
  }
}
