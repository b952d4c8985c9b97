import type { Readable } from 'node:stream';
import type { Caller, EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { LogFrames } from './log-frames.js';

/** The longest time that a log is followed. */
const longestMs = 3_600_000;

/** Returns the last lines of a container's log and then every new text, until it ends or the caller's signal fires. */
export async function followLogs(
  caller: Caller,
  engine: EngineClient,
  { id, tail }: { readonly id: string; readonly tail: number },
): Promise<AsyncIterable<string>> {
  const query = { stdout: true, stderr: true, follow: true, tail };
  return textOf(caller, await engine.download(caller, `/containers/${id}/logs`, { query, timeoutMs: longestMs }));
}

async function* textOf({ signal }: Caller, log: Readable): AsyncGenerator<string> {
  const frames = new LogFrames();
  try {
    for await (const bytes of log) {
      const text = frames.push(bytes);
      if (text !== '') yield text;
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw new EngineError('transient', 'the engine closed the connection of a followed log', 0, { cause });
  }
}
