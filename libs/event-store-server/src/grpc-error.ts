import { status } from '@grpc/grpc-js';
import { EventStoreUnavailableError } from '@stave/platform';

/** The request is malformed or asks for something that the server does not support. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
}

export interface GrpcError {
  readonly code: status;
  readonly details: string;
}

/** Returns the error with which a gRPC handler answers a call that failed. */
export function grpcError(error: unknown): GrpcError {
  const details = error instanceof Error ? error.message : String(error);
  const isBad = error instanceof BadRequestError || error instanceof SyntaxError || error instanceof RangeError;
  if (isBad) return { code: status.INVALID_ARGUMENT, details };
  return { code: error instanceof EventStoreUnavailableError ? status.UNAVAILABLE : status.INTERNAL, details };
}
