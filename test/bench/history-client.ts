/** The answer to a change. */
export interface Version {
  readonly revision: number;
  readonly updatedAt: string;
  readonly description: string;
}

const WRITERS = 2;
const FIRST = 'the-first-change';

/** Creates one cluster with a long history and reads that history. */
export class HistoryClient {
  private made = 0;
  private first: Version | undefined;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  async create(): Promise<string> {
    const { id, operationId } = await this.send<{ id: string; operationId: string }>('POST', '/v1/clusters', {
      name: 'bench',
      driver: 'fake',
    });
    await this.send('GET', `/v1/operations/${operationId}?wait=10s`);
    return id;
  }

  /** Makes `count` changes, a few at a time, and returns them by revision. The first one has an idempotency key. */
  async change(id: string, count: number): Promise<readonly Version[]> {
    const versions: Version[] = [];
    if (!this.first) versions.push((this.first = await this.patch(id, FIRST, { 'idempotency-key': FIRST })));
    let left = count - versions.length;
    const writer = async (): Promise<void> => {
      while (left-- > 0) versions.push(await this.patch(id, `change ${++this.made}`));
    };
    await Promise.all(Array.from({ length: Math.min(WRITERS, left) }, writer));
    return versions.sort((a, b) => a.revision - b.revision);
  }

  /** Repeats the first change with its idempotency key; throws when the answer differs. */
  async repeatFirst(id: string): Promise<void> {
    const again = await this.patch(id, FIRST, { 'idempotency-key': FIRST });
    if (again.revision !== this.first?.revision || again.updatedAt !== this.first.updatedAt)
      throw new Error(`the repeat answered ${JSON.stringify(again)}`);
  }

  get(id: string): Promise<Version> {
    return this.send('GET', `/v1/clusters/${id}`);
  }

  at(id: string, moment: string | number): Promise<Version> {
    return this.send('GET', `/v1/clusters/${id}?at=${moment}`);
  }

  /** Returns whether the description differs between two revisions. */
  async diff(id: string, from: number, to: number): Promise<boolean> {
    const { changes } = await this.send<{ changes: readonly { pointer: string }[] }>(
      'GET',
      `/v1/clusters/${id}/diff?from=${from}&to=${to}`,
    );
    return changes.some(({ pointer }) => pointer === '/description');
  }

  private patch(id: string, description: string, headers: Readonly<Record<string, string>> = {}): Promise<Version> {
    return this.send('PATCH', `/v1/clusters/${id}`, { description }, headers);
  }

  private async send<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}
