import { Messaging } from './messaging.port.js';

/** A deadline that a successful request never reaches. */
export const SOON = { timeoutMs: 60_000 };

/** Two clients for each test; `connect` opens more. */
export interface MessagingPair {
  a: Messaging;
  b: Messaging;
  errors: unknown[];
  subject: (base: string) => string;
  connect: () => Promise<Messaging>;
}

/** Creates a promise and the function that resolves it, to block handlers. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}
