import { Deadline, pause } from './deadline.js';
import { ConnectionError, ProblemError, reasonOf, StaveError, type Problem } from './errors.js';
import { Retries, retryAfterMs, type RetryOptions } from './retry.js';

/** A function may return undefined: then the request has no credential but what a browser adds, such as the cookie of its session. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export interface TransportOptions {
  /** The address of the API without `/v1`, such as `https://stave.example.org`. It must not contain credentials. */
  readonly url: string;
  /** An API key, or a function that returns the present one before each attempt. Without it the request carries no credential of its own. */
  readonly token?: Token;
  /** Id or name of the project in which requests are made, for a caller who has several. */
  readonly project?: string;
  readonly retry?: RetryOptions;
  /** The longest time of one attempt, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface Request {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly attempts?: number | undefined;
}

/** An answer whose body is still being received. The reader must call `deadline.end()`. */
export interface Opened {
  readonly response: Response;
  readonly deadline: Deadline;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function baseOf(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new StaveError('url is not an absolute address');
  }
  if (!/^https?:$/.test(url.protocol)) throw new StaveError('url must begin with http:// or https://');
  if (url.username || url.password) throw new StaveError('url must not contain credentials; use token');
  if (url.search || url.hash) throw new StaveError('url must have no query and no fragment');
  return url.href.replace(/\/+$/, '');
}

/** Sends requests and repeats them. Credentials are in no error and in no member that a log would show. */
export class Transport {
  readonly retries: Retries;
  readonly #base: string;
  readonly #token: Token | undefined;
  readonly #project: string | undefined;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  /** Throws StaveError for an address that cannot be used. */
  constructor({ url, token, project, retry, timeoutMs = 30_000, fetch: send }: TransportOptions) {
    this.#base = baseOf(url);
    this.#token = token;
    this.#project = project;
    this.#timeoutMs = timeoutMs;
    this.#fetch = send ?? ((input, init) => fetch(input, init));
    this.retries = new Retries(retry);
  }

  /** Sends the request until it is answered. Throws ProblemError, ConnectionError, or the reason of the signal. */
  send(request: Request): Promise<Received> {
    return this.repeat(request, async () => {
      const { response, deadline } = await this.attempt(request);
      try {
        return { status: response.status, headers: response.headers, text: await response.text() };
      } catch (error) {
        throw failure(request, deadline, error);
      } finally {
        deadline.end();
      }
    });
  }

  /** Sends the request until the head of a successful answer arrives. Throws as `send` does. */
  open(request: Request): Promise<Opened> {
    return this.repeat(request, () => this.attempt(request));
  }

  private async repeat<T>(request: Request, attempt: () => Promise<T>): Promise<T> {
    for (let number = 1; ; number++) {
      try {
        return await attempt();
      } catch (error) {
        const delay = this.retries.delayAfter(number, error, request.attempts);
        if (delay === undefined) throw error;
        await pause(delay, request.signal);
      }
    }
  }

  private async attempt(request: Request): Promise<Opened> {
    const { method, path, body, signal, timeoutMs = this.#timeoutMs } = request;
    const headers = await this.headersOf(request);
    const deadline = new Deadline(signal);
    deadline.start(timeoutMs);
    try {
      const init = { method, headers, redirect: 'manual' as const, signal: deadline.signal };
      const response = await this.#fetch(this.#base + path, body === undefined ? init : { ...init, body });
      if (response.ok) return { response, deadline };
      throw problemOf(request, response, await response.text());
    } catch (error) {
      deadline.end();
      throw failure(request, deadline, error);
    }
  }

  private async headersOf({ headers: given }: Request): Promise<Record<string, string>> {
    const headers = this.#project === undefined ? given : { ...given, 'stave-project': this.#project };
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    if (token === undefined) return { ...headers };
    // the platform would name the credential in its own error
    if (!/^[\x21-\x7e]+$/.test(token)) throw new StaveError('token must be printable characters without spaces');
    return { ...headers, authorization: `Bearer ${token}` };
  }
}

function failure({ method, path, headers, signal }: Request, { passed }: Deadline, error: unknown): unknown {
  if (error instanceof StaveError) return error;
  if (signal?.aborted) return signal.reason;
  return new ConnectionError(
    `${method} ${path.split('?')[0]}`,
    passed ? 'timeout' : reasonOf(error),
    headers['idempotency-key'],
  );
}

/** Returns the problem of a refusal. One that is no problem document was made by a proxy: its text is not shown. */
function problemOf({ path }: Request, { status, headers }: Response, text: string): ProblemError {
  const wait = retryAfterMs(headers.get('retry-after'));
  const instance = path.split('?')[0] ?? '';
  if (headers.get('content-type')?.startsWith('application/problem+json'))
    return new ProblemError(parsed(text, instance) as Problem, wait);
  const correlationId = headers.get('x-correlation-id') ?? 'unknown';
  const detail = `${instance} answered ${status} without a problem document`;
  const code = `http-${status}`;
  return new ProblemError({ type: 'about:blank', title: 'Error', status, detail, instance, code, correlationId }, wait);
}

/** Parses JSON. The error of the platform would show a part of the text, which can be a secret. */
export function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StaveError(`${what} answered JSON that cannot be parsed`);
  }
}
