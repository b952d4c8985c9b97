import type { StaveClient } from '@stave/testing';

/** The start of an answer that is read as it comes. */
export interface Stream {
  readonly status: number;
  readonly type: string | null;
  next(): Promise<string | undefined>;
  cancel(): Promise<void>;
}

/** Opens a stream with the key of the client. */
export async function openStream({ url, key }: StaveClient, path: string): Promise<Stream> {
  const life = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}${path}`, { headers, signal: life.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    async next() {
      for (;;) {
        const end = text.indexOf('\n');
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        const read = await reader?.read();
        if (!read || read.done) return undefined;
        text += read.value;
      }
    },
    async cancel() {
      life.abort();
      await reader?.cancel().catch(() => undefined);
    },
  };
}
