export interface Resource {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly statusReason?: string;
  readonly operationId?: string;
}

export interface NodeResource extends Resource {
  readonly nodeGroupId: string;
  readonly role: string;
  readonly zone?: string | null;
  readonly flavor: { readonly name?: string; readonly cpus: number; readonly memoryMb: number };
  readonly conductorGroup?: string | null;
  readonly addresses: readonly string[];
  readonly attempts: number;
  readonly infrastructureId?: string | null;
}

interface Score {
  readonly nodeId: string;
  readonly total: number;
  readonly parts: Readonly<Record<string, number>>;
}

export interface ContainerResource extends Resource {
  readonly nodeId?: string | null;
  readonly placement?: {
    readonly scores?: readonly Score[];
    readonly refusals?: readonly { readonly reason?: string }[];
  } | null;
}

export interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly progress: { readonly done: number; readonly total: number; readonly percent: number };
  readonly error?: unknown;
}

const ended = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

/** A client of the REST API with one key. Throws with the text of the problem document when an answer is not 2xx. */
export class ApiClient {
  private position = '0';

  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('POST', path, body);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('PATCH', path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.send<T>('DELETE', path);
  }

  async list<T>(path: string): Promise<readonly T[]> {
    const { items } = await this.get<{ readonly items: readonly T[] }>(path);
    return items;
  }

  /** Waits for the end of an operation; calls `onProgress` with every change. */
  async finished(id: string, onProgress?: (operation: Operation) => void, timeoutMs = 180_000): Promise<Operation> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const operation = await this.get<Operation>(`/v1/operations/${id}?wait=1s`);
      onProgress?.(operation);
      if (ended.includes(operation.status)) return operation;
      if (performance.now() > deadline)
        throw new Error(`${operation.kind} did not end within ${timeoutMs / 1000} s: ${JSON.stringify(operation)}`);
    }
  }

  /** Opens a response with an endless body, such as the event stream. */
  async open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const answer = await fetch(this.url + path, { headers: this.headers(), signal });
    if (!answer.ok || !answer.body) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.body;
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { ...this.headers(), ...(body !== undefined && { 'content-type': 'application/json' }) };
    const answer = await fetch(this.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    this.position = answer.headers.get('stave-position') ?? this.position;
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Adds the newest known position, so that a read shows all changes that were written or received before. */
  private headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.key}`,
      ...(this.position !== '0' && { 'stave-min-position': this.position }),
    };
  }
}
