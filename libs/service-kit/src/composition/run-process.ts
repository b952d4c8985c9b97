import { BadEnvironmentError, CannotListenError, toggleLogs, type Logger } from '@stave/platform';
import { LateStopError, STOP_MARGIN_MS, stopWithin, type StopStep } from './stop-steps.js';

export interface ProcessHandle {
  on(signal: 'SIGTERM' | 'SIGINT' | 'SIGUSR2', listener: () => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/** What runs in a process, and how it is stopped. */
export interface RunningProcess {
  readonly log: Logger;
  /** Milliseconds for which work may continue after a signal; default 0. */
  readonly drainMs?: number;
  /** Run one after the other. */
  readonly stop: readonly StopStep[];
}

/** A terminal and npm may both send the signal of one Ctrl-C, so only a signal that arrives so many milliseconds later is another one. */
const ANOTHER_MS = 2_000;

/**
 * Runs a process until SIGTERM or SIGINT, which stop what `start` has started and end the process with 0; during the start they end it
 * with 0 at once, since what is written then survives a kill. Another signal 2 s later or more, a failure of the start or of the
 * stop, and a stop that takes 30 s more than its drain time end it with 1.
 */
export function runProcess(process: ProcessHandle, start: () => Promise<RunningProcess>): void {
  let running: RunningProcess | undefined;
  let stoppingSince: number | undefined;
  const handle = (): void => {
    if (!running) return process.exit(0);
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince >= ANOTHER_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    stop(running).then(code => process.exit(code));
  };
  // as the first process of a container, Node.js ignores signals that it does not listen to
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  process.on('SIGUSR2', () => running && toggleLogs(running.log));
  start().then(
    started => (running = started),
    (error: unknown) => {
      process.stderr.write(`${textOf(error)}\n`);
      process.exit(1);
    },
  );
}

/** Runs the steps and returns the code with which the process ends. */
async function stop({ log, drainMs = 0, stop: steps }: RunningProcess): Promise<0 | 1> {
  log.info('stopping');
  try {
    await stopWithin(drainMs + STOP_MARGIN_MS, steps);
    return 0;
  } catch (err) {
    if (err instanceof LateStopError) {
      const { waitingFor, withinMs } = err;
      log.error({ waitingFor, withinMs }, 'the stop did not end in time');
    } else log.error({ err }, 'stopping failed');
    return 1;
  }
}

function textOf(error: unknown): string {
  if (error instanceof BadEnvironmentError) return error.problems.join('\n');
  return error instanceof CannotListenError ? error.message : String(error).replace(/^Error: /, '');
}
