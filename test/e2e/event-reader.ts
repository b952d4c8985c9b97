import type { StaveClient } from '@stave/testing';
import type { CloudEventView } from './views.js';

export class EventReader {
  readonly events: CloudEventView[] = [];
  readonly ids: string[] = [];
  private readonly abort = new AbortController();
  private ending: Promise<void> = Promise.resolve();

  /** Resolves when the stream is open; throws when the answer is not 200. */
  static async open(api: StaveClient, query: string, lastEventId?: string): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(`${api.url}/v1/events?${query}`, {
      headers: {
        authorization: `Bearer ${api.key}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      signal: reader.abort.signal,
    });
    if (response.status !== 200 || !response.body) throw new Error(`/v1/events?${query} answered ${response.status}`);
    reader.ending = reader.follow(response.body);
    return reader;
  }

  /** Resolves when the reader has stopped. */
  async close(): Promise<void> {
    this.abort.abort();
    await this.ending;
  }

  private async follow(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of body) {
        const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }

  private take(block: string): void {
    const lines = block.split('\n');
    const isEvent = lines.some(line => line.startsWith('data: '));
    for (const line of lines) {
      if (isEvent && line.startsWith('id: ')) this.ids.push(line.slice(4));
      if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice(6)));
    }
  }
}
