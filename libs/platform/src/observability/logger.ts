import pino, { type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;

/** Structured logs on standard error; what may be a secret is cut out by name. */
export function createLogger(service: string, level = 'info'): Logger {
  return pino(
    {
      level,
      base: { service },
      redact: {
        paths: ['key', 'authorization', '*.key', '*.authorization', '*.token', '*.secret', 'headers.authorization'],
        censor: '[secret]',
      },
    },
    pino.destination(2),
  );
}
