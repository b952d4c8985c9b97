export interface RestAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Client of the REST API with the administrator's key. */
export class RestClient {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  async call(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  }

  get(path: string): Promise<RestAnswer> {
    return this.call('GET', path);
  }

  /** Returns all items of a list, page by page. Throws when an answer is not 200. */
  async list(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const items: Readonly<Record<string, unknown>>[] = [];
    let cursor: unknown;
    do {
      const separator = path.includes('?') ? '&' : '?';
      const page = typeof cursor === 'string' ? `${separator}cursor=${encodeURIComponent(cursor)}` : '';
      const { status, body } = await this.get(`${path}${page}`);
      if (status !== 200) throw new Error(`GET ${path} answers ${status} ${JSON.stringify(body)}`);
      items.push(...itemsOf(body));
      cursor = body['nextCursor'];
    } while (typeof cursor === 'string');
    return items;
  }
}

function itemsOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { items } = body;
  if (!Array.isArray(items)) throw new Error('the answer has no list of items');
  return items;
}
