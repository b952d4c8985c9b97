import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Caller, EngineClient } from './engine-client.js';
import { noResponse } from './engine-error.js';

const headerBytes = 8;
const longestMs = 3_600_000;

/** Decodes a complete log. An incomplete last frame is decoded as far as possible. */
export function demultiplex(bytes: Buffer): string {
  const frames = new LogFrames();
  return frames.push(bytes) + frames.end();
}

/**
 * Decodes a log without a terminal: frames with a header (stream number, three zero bytes, big-endian length) and that many bytes (Docker
 * Engine API, "Attach to a container"). Keeps the order of standard output and error.
 */
export class LogFrames {
  private rest = Buffer.alloc(0);
  /** The decoder of each stream, because a character may span two frames of its stream. */
  private readonly decoders = new Map<number, StringDecoder>();

  /** Returns the text of the frames that these bytes complete. */
  push(bytes: Buffer): string {
    this.rest = Buffer.concat([this.rest, bytes]);
    let text = '';
    for (let end = this.frameEnd(); end !== undefined; end = this.frameEnd()) {
      text += this.decoderOf(this.rest.readUInt8(0)).write(this.rest.subarray(headerBytes, end));
      this.rest = this.rest.subarray(end);
    }
    return text;
  }

  end(): string {
    return this.rest.subarray(headerBytes).toString('utf8');
  }

  private frameEnd(): number | undefined {
    if (this.rest.length < headerBytes) return undefined;
    const end = headerBytes + this.rest.readUInt32BE(4);
    return this.rest.length < end ? undefined : end;
  }

  private decoderOf(stream: number): StringDecoder {
    const decoder = this.decoders.get(stream) ?? new StringDecoder('utf8');
    this.decoders.set(stream, decoder);
    return decoder;
  }
}

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
    throw noResponse('the engine closed the connection of a followed log', cause);
  }
}
