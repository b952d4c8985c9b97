import { request, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { DriverError, type DriverContext, type FailureClass } from '@stave/driver-sdk';

/** The part of a driver context that a request to a cluster needs. */
export type Caller = Pick<DriverContext, 'signal' | 'checkpoint'>;

/** How a driver reaches the API of a cluster. The key is a secret. */
export interface ApiAccess {
  readonly address: string;
  readonly port: number;
  /** PEM. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A user of Kubernetes, by name and groups. */
export interface KubernetesUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A failed request to the API of Kubernetes; `status` is 0 when there was no response. */
export class ApiError extends DriverError {
  constructor(
    failure: FailureClass,
    message: string,
    readonly status: number,
    options?: { cause?: unknown },
  ) {
    super(failure, message, options);
    this.name = 'ApiError';
  }
}

const byStatus: Readonly<Record<number, FailureClass>> = {
  400: 'permanent',
  403: 'permanent',
  404: 'notFound',
  409: 'conflict',
  422: 'permanent',
};

export interface ApiOptions {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** What the answer should be; default: the complete object. */
  readonly accept?: string;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;

/** The client of the API of one control plane. Every request has a deadline and ends at the caller's signal; every failure is an ApiError. */
export class KubernetesApi {
  constructor(
    private readonly access: ApiAccess,
    private readonly user?: KubernetesUser,
  ) {}

  /** Returns a client whose requests have the rights of this user and no others. */
  actingAs(user: KubernetesUser): KubernetesApi {
    return new KubernetesApi(this.access, user);
  }

  async read<T>(caller: Caller, path: string, options: ApiOptions = {}): Promise<T> {
    return this.send<T>(caller, 'GET', path, options);
  }

  /** Sends a request that changes something, immediately after the caller's checkpoint. */
  async change<T>(
    caller: Caller,
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    options: ApiOptions = {},
  ): Promise<T> {
    caller.signal.throwIfAborted();
    caller.checkpoint();
    return this.send<T>(caller, method, path, options);
  }

  /** Reads an answer piece by piece as it comes, until it ends or the caller's signal fires. The deadline is that of its first byte. */
  async stream(caller: Caller, path: string, options: ApiOptions = {}): Promise<AsyncIterable<string>> {
    const call = `GET ${path}`;
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const begun = new AbortController();
    const late = setTimeout(() => begun.abort(), timeoutMs);
    try {
      const answer = await this.exchange(AbortSignal.any([caller.signal, begun.signal]), 'GET', path, options);
      const status = answer.statusCode ?? 0;
      if (status < 200 || status >= 300) throw refused(call, status, (await buffer(answer)).toString('utf8'));
      return textOf(caller, call, answer);
    } catch (cause) {
      throw cause instanceof ApiError ? cause : unanswered(call, this.access, begun.signal, cause);
    } finally {
      clearTimeout(late);
    }
  }

  private async send<T>(caller: Caller, method: string, path: string, options: ApiOptions): Promise<T> {
    const deadline = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    const call = `${method} ${path}`;
    try {
      const answer = await this.exchange(AbortSignal.any([caller.signal, deadline]), method, path, options);
      const text = (await buffer(answer)).toString('utf8');
      const status = answer.statusCode ?? 0;
      if (status < 200 || status >= 300) throw refused(call, status, text);
      // a client names the type of an answer by the path that it asks for
      return (answer.headers['content-type']?.includes('json') ? JSON.parse(text) : text) as T;
    } catch (cause) {
      throw cause instanceof ApiError ? cause : unanswered(call, this.access, deadline, cause);
    }
  }

  private exchange(signal: AbortSignal, method: string, path: string, options: ApiOptions): Promise<IncomingMessage> {
    const { address, port, authority, certificate, key } = this.access;
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const contentType = options.contentType ?? 'application/json';
    const parameters = Object.entries(options.query ?? {}).map(([name, value]): [string, string] => [name, `${value}`]);
    const query = new URLSearchParams(parameters);
    const settings: RequestOptions = {
      host: address,
      port,
      method,
      path: query.size > 0 ? `${path}?${query}` : path,
      ca: authority,
      cert: certificate,
      key,
      agent: false,
      signal,
      headers: {
        accept: options.accept ?? 'application/json, */*',
        ...(this.user && { 'impersonate-user': this.user.name, 'impersonate-group': [...this.user.groups] }),
        ...(body && { 'content-type': contentType, 'content-length': body.length }),
      },
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(settings, resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** Reads only as fast as its consumer. */
async function* textOf({ signal }: Caller, call: string, answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding('utf8');
  try {
    for await (const text of answer) yield String(text);
  } catch (cause) {
    if (signal.aborted) return;
    throw new ApiError('transient', `${call}: the control plane closed the connection`, 0, { cause });
  }
}

/** The message says where the client tried, because an operator has to give it a route there. */
function unanswered(call: string, { address, port }: ApiAccess, deadline: AbortSignal, cause: unknown): ApiError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${String(cause.code)})` : '';
  const reason = deadline.aborted ? 'did not answer in time' : `does not answer${code}`;
  return new ApiError('transient', `${call}: the control plane at ${address}:${port} ${reason}`, 0, { cause });
}

function refused(call: string, status: number, text: string): ApiError {
  const failure = byStatus[status] ?? 'transient';
  return new ApiError(failure, `${call}: ${status} ${messageOf(text)}`, status);
}

function messageOf(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null && 'message' in answer) return String(answer.message);
  } catch {
    // the answer is no JSON, for example that of a proxy
  }
  return text.slice(0, 300);
}

/** Resolves to undefined when the request fails with one of these statuses. */
export async function undefinedOnStatus<T>(statuses: readonly number[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && statuses.includes(error.status)) return undefined;
    throw error;
  }
}
