import { get, type ClientRequest, type IncomingMessage } from 'node:http';

/** A client of `/v1/events` that can pause. */
export class EventStreamClient {
  readonly events: Record<string, unknown>[] = [];
  readonly ids: string[] = [];
  readonly comments: string[] = [];
  /** What the gateway asked to wait before the next connection, in milliseconds. */
  readonly retries: number[] = [];
  /** The ids of blocks without an event. */
  readonly beginnings: string[] = [];
  ended = false;
  private buffer = '';

  private constructor(
    private readonly request: ClientRequest,
    private readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.take(text));
    response.on('end', () => (this.ended = true));
    response.on('error', () => (this.ended = true));
  }

  /** Resolves after the first comment of the stream. Throws when the response is not a stream. */
  static open(url: string, key: string, lastEventId?: string, accept?: string): Promise<EventStreamClient> {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const form = accept === undefined ? {} : { accept };
    return new Promise((resolve, reject) => {
      const request = get(url, { headers: { authorization: `Bearer ${key}`, ...resume, ...form }, agent: false });
      request.on('error', reject);
      request.on('response', response => {
        if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
        const client = new EventStreamClient(request, response);
        const connected = (): void => {
          if (client.comments.length === 0) return;
          response.off('data', connected);
          resolve(client);
        };
        response.on('data', connected);
      });
    });
  }

  get types(): unknown[] {
    return this.events.map(event => event['type']);
  }

  get lastId(): string | undefined {
    return this.ids.at(-1);
  }

  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.request.destroy();
  }

  private take(text: string): void {
    const parts = (this.buffer + text).split('\n\n');
    this.buffer = parts.pop() ?? '';
    for (const part of parts) this.takeBlock(part.split('\n'));
  }

  private takeBlock(lines: readonly string[]): void {
    const isEvent = lines.some(line => line.startsWith('data: '));
    for (const line of lines) {
      if (line.startsWith(': ')) this.comments.push(line.slice(2));
      if (line.startsWith('retry: ')) this.retries.push(Number(line.slice(7)));
      if (line.startsWith('id: ')) (isEvent ? this.ids : this.beginnings).push(line.slice(4));
      if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice(6)));
    }
  }
}
