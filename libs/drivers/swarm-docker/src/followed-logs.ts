import type { Readable } from 'node:stream';
import type { Caller, EngineClient } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { LogFrames } from './log-frames.js';

/** No log is followed for longer, whoever forgets to stop. */
const longestMs = 3_600_000;

/** The last lines of a container and all that follow, until it ends or the caller's signal fires. */
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
    throw new EngineError('transient', 'the engine broke off the log', 0, { cause });
  }
}
