import pino, { type Logger as PinoLogger } from 'pino';
import { knownSecrets } from '../secrets/known-secrets.js';

export type Logger = PinoLogger;

/** Creates a structured log on standard error, without known secrets and fields whose names suggest one. */
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
