import { OperationError, WaitTimeoutError, type Operation } from '@stave/client';
import { durationMs } from '../input/duration.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { inline, printable } from '../output/values.js';
import type { Session } from '../session.js';

export interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout?: string;
}

const clock = (time: number): string => new Date(time).toTimeString().slice(0, 8);

/** Prints each step of an operation once per change of its state, to the lines for people. */
export class ProgressLines {
  private readonly shown = new Map<string, string>();

  constructor(private readonly session: Session) {}

  show({ steps }: Operation): void {
    for (const { name = '', status = '', attempts = 0, lastError } of steps) {
      const failure = lastError ? `  attempt ${attempts}: ${inline(Object(lastError).detail ?? lastError)}` : '';
      const state = `${status}${failure}`;
      if (this.shown.get(name) === state || (status === 'PENDING' && failure === '')) continue;
      this.shown.set(name, state);
      this.session.note(`${clock(this.session.now())}  ${printable(name)}  ${status.toLowerCase()}${failure}`);
    }
  }
}

const duration = ({ createdAt, finishedAt }: Operation): string =>
  `${((Date.parse(finishedAt ?? createdAt) - Date.parse(createdAt)) / 1000).toFixed(1)} s`;

/**
 * Waits for the end of an operation and says how it ended. Throws CommandFailure when it failed or the time ran out: the work continues then,
 * and the message says how to follow it.
 */
export async function awaitOperation(session: Session, id: string, flags: WaitFlags): Promise<void> {
  const { api, terminal } = session;
  const lines = new ProgressLines(session);
  const timeout = flags.timeout === undefined ? {} : { timeoutMs: durationMs(flags.timeout) };
  try {
    const operation = await api.wait(id, { ...timeout, onProgress: progress => lines.show(progress) });
    session.note(`SUCCEEDED in ${duration(operation)}, operation ${id}`);
  } catch (error) {
    if (terminal.signal.aborted) session.note(followLine(id));
    if (error instanceof OperationError) throw new CommandFailure(exitCodes.failed, printable(error.message));
    if (error instanceof WaitTimeoutError)
      throw new CommandFailure(exitCodes.timeout, `${error.message}\n${followLine(id)}`);
    throw error;
  }
}

export const followLine = (id: string): string =>
  `The work continues. Follow it: stave operations wait ${id}   Cancel it: stave operations cancel ${id}`;
