import { Messaging } from './messaging.port.js';

/** A deadline that is not reached when all is well. */
export const SOON = { timeoutMs: 10_000 };

/** Two clients for each test; `connect` gives more. */
export interface MessagingPair {
  a: Messaging;
  b: Messaging;
  errors: unknown[];
  subject: (base: string) => string;
  connect: () => Promise<Messaging>;
}
