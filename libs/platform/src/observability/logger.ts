import pino, { type Logger as PinoLogger } from 'pino';
import { knownSecrets } from '../secrets/known-secrets.js';

export type Logger = PinoLogger;

/** Structured logs on standard error; what may be a secret is cut out by name, what is known as one wherever it stands. */
export function createLogger(service: string, level = 'info'): Logger {
  return pino(
    {
      level,
      base: { service },
      hooks: { streamWrite: line => knownSecrets.cutText(line) },
      redact: {
        paths: ['key', 'authorization', '*.key', '*.authorization', '*.token', '*.secret', 'headers.authorization'],
        censor: '[secret]',
      },
    },
    pino.destination(2),
  );
}
