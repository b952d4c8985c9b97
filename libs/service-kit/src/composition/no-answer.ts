import type { ServiceError } from '@stave/contracts';

/** Returns the refusal of what needs something that does not answer now, such as `the event store`. */
export const noAnswer = (dependency: string): ServiceError => ({
  code: 'dependency-unavailable',
  kind: 'unavailable',
  detail: `${dependency} does not answer`,
  retryAfterMs: 1_000,
});
