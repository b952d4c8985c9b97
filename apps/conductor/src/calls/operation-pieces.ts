import type { DriverOperation } from '@stave/driver-sdk';
import { driverTimeout } from './operation-answer.js';

/** Resolves as `work` does. Rejects with `driver-timeout` when the deadline fires before; what the work answers later is dropped. */
export async function beforeDeadline<T>(
  operation: DriverOperation,
  deadline: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = () => reject(driverTimeout(operation));
    deadline.addEventListener('abort', stop, { once: true });
  });
  try {
    const working = work();
    working.catch(() => undefined); // after the deadline nobody waits for it
    return await Promise.race([working, late]);
  } finally {
    if (stop) deadline.removeEventListener('abort', stop);
  }
}

/**
 * Resolves with the lines of a stream when its first piece is there. A reader that stops, and a piece that `textOf` refuses, end the stream of
 * the driver.
 */
export async function linesOf(
  pieces: AsyncIterable<unknown>,
  textOf: (piece: unknown) => string,
): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const end = async (): Promise<void> => void (await iterator.return?.());
  const lineOf = ({ done, value }: IteratorResult<unknown>): string | undefined =>
    done ? undefined : `${textOf(value)}\n`;
  let first: string | undefined;
  try {
    first = lineOf(await iterator.next());
  } catch (error) {
    await end();
    throw error;
  }
  return lines();

  async function* lines(): AsyncGenerator<string> {
    try {
      for (let line = first; line !== undefined; line = lineOf(await iterator.next())) yield line;
    } finally {
      await end();
    }
  }
}
