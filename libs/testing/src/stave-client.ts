import { randomUUID } from 'node:crypto';

/** An answer of the API with any status. */
export interface StaveAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  readonly text: string;
  /** The request, for messages. */
  readonly request: string;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Text that is sent in place of `body`. */
  readonly raw?: string;
  readonly contentType?: string;
  readonly idempotencyKey?: string;
  /** An ETag or a revision. */
  readonly ifMatch?: string | number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface OperationView {
  readonly id: string;
  readonly kind: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly progress: { readonly done: number; readonly total: number; readonly percent: number };
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly attempts: number;
    readonly lastError?: unknown;
    readonly lastErrorCode?: string;
  }[];
  readonly error?: { readonly code: string; readonly detail: string };
}

export interface ProblemView {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly correlationId: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail?: string }[];
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total?: number;
}

/**
 * A small client of the REST API. Callers state the type of a body; only `read` and `succeed` check statuses. After a command
 * that was complete with its answer, and after it has seen the end of an operation, its reads wait until they show it, as
 * `Stave-Position` of that answer promises.
 */
export class StaveClient {
  private shown = -1;

  constructor(
    readonly url: string,
    readonly key: string,
  ) {}

  /** Returns a client of the same API with another key. */
  as(key: string): StaveClient {
    return new StaveClient(this.url, key);
  }

  get<T>(path: string, options?: SendOptions): Promise<StaveAnswer<T>> {
    return this.send<T>('GET', path, options);
  }

  post<T>(path: string, body: unknown = {}, options: SendOptions = {}): Promise<StaveAnswer<T>> {
    return this.send<T>('POST', path, { body, ...options });
  }

  patch<T>(path: string, body: unknown, options: SendOptions = {}): Promise<StaveAnswer<T>> {
    return this.send<T>('PATCH', path, { body, contentType: 'application/merge-patch+json', ...options });
  }

  put<T>(path: string, body: unknown, options: SendOptions = {}): Promise<StaveAnswer<T>> {
    return this.send<T>('PUT', path, { body, ...options });
  }

  delete<T>(path: string, options?: SendOptions): Promise<StaveAnswer<T>> {
    return this.send<T>('DELETE', path, options);
  }

  /** Returns the body of a GET. Throws unless the status is 200. */
  async read<T>(path: string): Promise<T> {
    return expectStatus(await this.get<T>(path), 200).body;
  }

  /** Returns the items of one page of a list. Throws unless the status is 200. */
  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.read<Page<T>>(path)).items;
  }

  /** Waits at most `timeoutMs` milliseconds for the end of an operation. */
  async operation(id: string, timeoutMs = 90_000): Promise<OperationView> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const left = Math.ceil(Math.min(10_000, deadline - performance.now()));
      const answer = await this.get<OperationView>(`/v1/operations/${id}?wait=${Math.max(left, 0)}ms`);
      const operation = expectStatus(answer, 200).body;
      if (!['PENDING', 'RUNNING'].includes(operation.status)) {
        this.show(answer.headers);
        return operation;
      }
      if (left <= 0) throw new Error(`the operation did not end within ${timeoutMs} ms: ${JSON.stringify(operation)}`);
    }
  }

  /** Returns the body of an accepted command whose operation, if any, succeeds. Throws otherwise. */
  async succeed<T>(answering: Promise<StaveAnswer<T>> | StaveAnswer<T>, timeoutMs?: number): Promise<T> {
    const answer = await answering;
    if (answer.status < 200 || answer.status > 299) throw new Error(summaryOf(answer));
    const id = operationIdOf(answer);
    if (id === undefined) return answer.body;
    const operation = await this.operation(id, timeoutMs);
    if (operation.status !== 'SUCCEEDED') throw new Error(`${answer.request} ended ${JSON.stringify(operation)}`);
    return answer.body;
  }

  private show(headers: Headers): void {
    this.shown = Math.max(this.shown, Number(headers.get('stave-position') ?? -1));
  }

  async send<T>(method: string, path: string, options: SendOptions = {}): Promise<StaveAnswer<T>> {
    const { body, raw, contentType = 'application/json', idempotencyKey, ifMatch } = options;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const asked = Number(options.headers?.['Stave-Min-Position'] ?? -1);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
        ...(content === undefined ? {} : { 'content-type': contentType }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(ifMatch === undefined ? {} : { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch }),
        ...options.headers,
        ...(method === 'GET' && this.shown > asked ? { 'Stave-Min-Position': String(this.shown) } : {}),
      },
      ...(content === undefined ? {} : { body: content }),
    });
    if (method !== 'GET' && [200, 201, 204].includes(response.status)) this.show(response.headers);
    const text = await response.text();
    const json = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
    const parsed: T = json ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, body: parsed, text, request: `${method} ${path}` };
  }
}

/** Returns the operation id that an accepted command started. */
export function operationIdOf({ headers }: StaveAnswer<unknown>): string | undefined {
  return headers.get('location')?.match(/\/v1\/operations\/([^/?]+)$/)?.[1];
}

/** Returns the log position that `minPosition` takes to read the effect of this command. */
export function positionOf({ headers, request }: StaveAnswer<unknown>): string {
  const position = headers.get('stave-position');
  if (position === null) throw new Error(`${request} answered without Stave-Position`);
  return position;
}

/** Returns the answer if it has this status. Throws otherwise. */
export function expectStatus<T>(answer: StaveAnswer<T>, status: number): StaveAnswer<T> {
  if (answer.status !== status) throw new Error(`expected ${status}: ${summaryOf(answer)}`);
  return answer;
}

/** Returns the problem document of a refusal. Throws unless it has this status and problems at these pointers. */
export function expectProblem(answer: StaveAnswer<unknown>, status: number, ...pointers: string[]): ProblemView {
  expectStatus(answer, status);
  const type = answer.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json')) throw new Error(`not a problem (${type}): ${summaryOf(answer)}`);
  const problem: ProblemView = JSON.parse(answer.text);
  if (problem.status !== status || !problem.code || !problem.correlationId) throw new Error(summaryOf(answer));
  const found = (problem.errors ?? []).map(({ pointer }) => pointer);
  const missing = pointers.filter(pointer => !found.includes(pointer));
  if (missing.length > 0) throw new Error(`no problem at ${missing.join(', ')}: ${summaryOf(answer)}`);
  return problem;
}

/** Returns a unique name. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

function summaryOf({ request, status, text }: StaveAnswer<unknown>): string {
  return `${request} answered ${status} ${text.slice(0, 2000)}`;
}
