import { request, type RequestOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { DriverError, type FailureClass } from '@stave/driver-sdk';
import type { Caller } from '@stave/docker';

/** How the driver reaches the API of a cluster: with all rights. The key is a secret. */
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
      if (cause instanceof ApiError) throw cause;
      const reason = deadline.aborted ? 'did not answer in time' : 'does not answer';
      throw new ApiError('transient', `${call}: the control plane ${reason}`, 0, { cause });
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
