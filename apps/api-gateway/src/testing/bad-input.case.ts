import type { CallOptions } from './gateway-stub.js';

/** A request that is refused before it reaches a service. Default: POST /v1/clusters. */
export interface BadInput {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly options?: CallOptions;
  readonly status: number;
  readonly code?: string;
  readonly errors?: readonly (readonly [pointer: string, code: string])[];
}

export const raw = (body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  options: { body, headers },
});
