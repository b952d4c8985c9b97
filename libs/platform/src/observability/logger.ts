import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino';
import { knownSecrets } from '../secrets/known-secrets.js';
import { boundedLine } from './bounded-line.js';
import { followLevel } from './log-levels.js';

export type Logger = PinoLogger;

/**
 * Creates a structured log on standard error, without known secrets and fields whose names suggest one. Each line is one JSON object of
 * bounded length, whatever text of a client it contains.
 */
export function createLogger(
  service: string,
  level = 'info',
  destination: DestinationStream = pino.destination(2),
): Logger {
  const log = pino(
    {
      level,
      base: { service },
      onChild: child => followLevel(child, level),
      hooks: { streamWrite: line => boundedLine(knownSecrets.cutText(line)) },
      redact: {
        paths: ['key', 'authorization', '*.key', '*.authorization', '*.token', '*.secret', 'headers.authorization'],
        censor: '[secret]',
      },
    },
    destination,
  );
  followLevel(log, level);
  return log;
}
