import type { status } from '@grpc/grpc-js';

/** An error as gRPC handlers answer it. */
export function grpcError(code: status, cause: unknown): { code: status; details: string } {
  return { code, details: cause instanceof Error ? cause.message : String(cause) };
}
