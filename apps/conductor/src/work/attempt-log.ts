import type { RecoveredRequest, Task } from '@stave/contracts';
import type { DriverLogger } from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';

/** An attempt that an earlier process of this data directory had not ended when it died. */
export type LeftAttempt = RecoveredRequest['attempts'][number];

type Attempt = Pick<Task, 'taskId' | 'resource' | 'attempt'>;

/** Keeps the last log lines of running attempts where they survive the process. */
export interface AttemptLog {
  /** Keeps the first line of an attempt. `key` identifies it until it ends. */
  begin(key: string, attempt: Attempt, line: string): void;
  write(key: string, line: string): void;
  end(key: string): void;
  /** Returns the attempts that earlier processes left. */
  left(): readonly LeftAttempt[];
  /** Deletes what `left` returned. */
  forgetLeft(): void;
  close(): void;
}

/** Keeps nothing, for conductors without a data directory of their own. */
export const noAttemptLog: AttemptLog = {
  begin: () => undefined,
  write: () => undefined,
  end: () => undefined,
  left: () => [],
  forgetLeft: () => undefined,
  close: () => undefined,
};

export const LONGEST_LINE = 300;
const SENSITIVE = /key|token|secret|passw|credential|authori[sz]ation/i;

/** Returns a log entry as one line: the message, and plain fields whose names do not suggest a secret. Of an error only its name. */
export function lineOf(level: string, fields: object, message: string): string {
  const shown = Object.entries(fields).flatMap(([name, value]: [string, unknown]) => {
    if (value instanceof Error) return [`${name}=${value.name}`];
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPlain && !SENSITIVE.test(name) ? [`${name}=${value}`] : [];
  });
  return [level, message, ...shown].join(' ');
}

/** Returns the text as a line to keep: without known secrets and line breaks, and bounded. */
export const keptLine = (text: string): string =>
  knownSecrets.cutText(text).replaceAll(/\s+/g, ' ').slice(0, LONGEST_LINE);

/** Returns the log of a driver call whose entries are also kept, from the level `info` on. */
export function keptLog(log: DriverLogger, write: (line: string) => void): DriverLogger {
  const kept =
    (level: 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      write(lineOf(level, fields, message));
      log[level](fields, message);
    };
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: kept('info'),
    warn: kept('warn'),
    error: kept('error'),
  };
}
