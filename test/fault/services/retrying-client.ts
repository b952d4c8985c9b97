import { eventually, operationIdOf, StaveClient, type OperationView, type StaveAnswer } from '@stave/testing';

const PATIENCE_MS = 60_000;
const OPERATION_MS = 60_000;

type Command = 'POST' | 'PATCH' | 'DELETE';

/**
 * A client that repeats unanswered requests with the same idempotency key, through any of the gateways, as clients should. Its
 * lists show every operation of which it has seen the success.
 */
export class RetryingClient {
  private readonly apis: readonly StaveClient[];
  private turn = 0;
  private shown = -1;

  /** `patienceMs`: milliseconds for which a request is repeated, default 60,000. */
  constructor(
    urls: readonly string[],
    key: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.apis = urls.map(url => new StaveClient(url, key));
  }

  /** Repeats a command until it is accepted. Throws immediately when it is refused. */
  async accepted<T>(method: Command, path: string, key: string, body?: unknown): Promise<T> {
    return (await this.command<T>(method, path, key, body)).body;
  }

  /** Repeats a command until it is accepted and its operation succeeds. Throws when it is refused or ends otherwise. */
  async succeeded<T>(method: Command, path: string, key: string, body?: unknown): Promise<T> {
    const answer = await this.command<T>(method, path, key, body);
    const id = operationIdOf(answer);
    const ended = async (): Promise<OperationView | undefined> => {
      const read = await this.answered<OperationView>('GET', `/v1/operations/${id}?wait=2s`, {});
      if (read.status !== 200 || read.body.status === 'PENDING' || read.body.status === 'RUNNING') return undefined;
      this.shown = Math.max(this.shown, Number(read.headers.get('stave-position') ?? -1));
      return read.body;
    };
    const operation = await eventually(ended, { timeoutMs: OPERATION_MS, what: `the end of ${key}` });
    if (operation.status !== 'SUCCEEDED') throw new Error(`${key} ended ${JSON.stringify(operation)}`);
    return answer.body;
  }

  /** Returns all items of a list; repeats requests that were not answered. */
  async list<T>(path: string): Promise<readonly T[]> {
    const items: T[] = [];
    const headers = this.shown < 0 ? undefined : { 'Stave-Min-Position': String(this.shown) };
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
      const page: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.answered<Page<T>>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=500${page}`, {
        headers,
      });
      if (answer.status !== 200) throw new Error(`${answer.request} answered ${answer.status} ${answer.text}`);
      items.push(...answer.body.items);
      cursor = answer.body.nextCursor;
    }
    return items;
  }

  private async command<T>(method: Command, path: string, key: string, body: unknown): Promise<StaveAnswer<T>> {
    const headers = { 'x-correlation-id': key };
    const answer = await this.answered<T>(method, path, { idempotencyKey: key, headers, body });
    if (answer.status >= 400) throw new Error(`${answer.request} answered ${answer.status} ${answer.text}`);
    return answer;
  }

  private answered<T>(method: string, path: string, options: Options): Promise<StaveAnswer<T>> {
    const attempt = async (): Promise<StaveAnswer<T> | undefined> => {
      const api = this.apis[this.turn++ % this.apis.length];
      const { body, ...rest } = options;
      const type = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
      const answer = await api?.send<T>(method, path, { ...rest, ...type, ...(body === undefined ? {} : { body }) });
      return answer === undefined || answer.status >= 500 ? undefined : answer;
    };
    return eventually(attempt, { timeoutMs: this.patienceMs, everyMs: 100, what: `an answer to ${method} ${path}` });
  }
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

interface Options {
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}
