import type { status } from '@grpc/grpc-js';

/** Creates the error with which a gRPC handler answers a call. */
export function grpcError(code: status, cause: unknown): { code: status; details: string } {
  return { code, details: cause instanceof Error ? cause.message : String(cause) };
}
