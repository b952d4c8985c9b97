import type { ApiClient } from './api-client.js';

/** The members of a CloudEvent that the demonstration reads. */
export interface FeedEvent {
  readonly type: string;
  readonly subject: string;
  readonly source: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads `/v1/events` (Server-Sent Events) until it is closed. */
export class EventFeed {
  private readonly life = new AbortController();
  private readonly listeners = new Set<(event: FeedEvent) => void>();
  private reading: Promise<void> | undefined;

  constructor(private readonly api: ApiClient) {}

  async start(): Promise<void> {
    const body = await this.api.open('/v1/events?from=now', this.life.signal);
    this.reading = this.read(body);
  }

  on(listener: (event: FeedEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.life.abort();
    await this.reading;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) this.deliver(frame);
      }
    } catch (error) {
      if (!this.life.signal.aborted) throw error;
    }
  }

  private deliver(frame: string): void {
    const data = frame
      .split('\n')
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice('data:'.length).trimStart())
      .join('\n');
    if (data === '') return;
    const event: FeedEvent = JSON.parse(data);
    for (const listener of this.listeners) listener(event);
  }
}
