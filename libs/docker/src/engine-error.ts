import { DriverError, type DriverContext, type FailureClass } from '@stave/driver-sdk';

/** A failed request to an engine; `status` is 0 when there was no response. */
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

/**
 * The engine reports a full disk, and a port or address that another container has, with status 500, and a limit above the machine's size with
 * status 400.
 */
const capacity =
  /no space left on device|range of cpus is from|could not find an available|port is already allocated|address already in use|attaching to network failed/i;

/** Converts a failed response into an error, classified by its status or, for lack of capacity, by its message. */
export function errorOfResponse(call: string, status: number, message: string): EngineError {
  const failure = capacity.test(message) ? 'capacity' : (byStatus[status] ?? 'transient');
  return new EngineError(failure, `${call}: ${status} ${message}`, status);
}

/** Returns the error of a request without a complete response, which may have taken effect. */
export const noResponse = (message: string, cause: unknown): EngineError =>
  new EngineError('transient', message, 0, { cause });

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof EngineError && statuses.includes(error.status);
}

/** Resolves to undefined when the request fails with one of these statuses, for example because the object does not exist. */
export async function undefinedOn<T>(statuses: readonly number[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, ...statuses)) return undefined;
    throw error;
  }
}

/**
 * Resolves to undefined when the work fails with a DriverError, for example because an engine does not answer, and logs `warning` with the
 * reason when there is one. Rejects with any other error, and with every error after the signal of the call has fired.
 */
export async function undefinedOnFailure<T>(
  { signal, log }: Pick<DriverContext, 'signal' | 'log'>,
  work: () => Promise<T>,
  warning?: { readonly nodeId: string; readonly message: string },
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof DriverError)) throw error;
    if (warning) log.warn({ nodeId: warning.nodeId, reason: error.message }, warning.message);
    return undefined;
  }
}
