import { Messaging } from './messaging.port.js';

/** A deadline that a successful request never reaches. */
export const SOON = { timeoutMs: 10_000 };

/** Two clients for each test; `connect` opens more. */
export interface MessagingPair {
  a: Messaging;
  b: Messaging;
  errors: unknown[];
  subject: (base: string) => string;
  connect: () => Promise<Messaging>;
}
