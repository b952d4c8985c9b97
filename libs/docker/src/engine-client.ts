import { request, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { DriverError } from '@stave/driver-sdk';
import { onSocket, type EngineEndpoint } from './engine-endpoint.js';
import { errorOfResponse, noResponse } from './engine-error.js';

/** The part of a driver context that a request to an engine needs. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly checkpoint: () => void;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** A tar archive to send instead of a JSON body. */
  readonly upload?: Readable;
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Selects objects that have a label, whatever its value. */
export const anyValue = Symbol('any value');

const defaultTimeoutMs = 15_000;
const stopped = 'stopped by the signal of the call';

/** Returns the query that selects objects with all of these labels, and with the engine's other filters. Undefined values are ignored. */
export function withLabels(
  labels: Readonly<Record<string, string | typeof anyValue | undefined>>,
  others: Readonly<Record<string, readonly string[]>> = {},
): { filters: string } {
  const label = Object.entries(labels).flatMap(([key, value]) =>
    value === undefined ? [] : value === anyValue ? [key] : [`${key}=${value}`],
  );
  return { filters: JSON.stringify({ label, ...others }) };
}

/**
 * The client of a Docker Engine, on a unix socket of this machine or at an endpoint. Every request has a deadline (default 15 s) and ends at the caller's signal; every failure
 * is an EngineError. Each request opens a connection, which costs half a millisecond and is never stale after a restart of the engine.
 */
export class EngineClient {
  private readonly endpoint: EngineEndpoint;

  constructor(place: string | EngineEndpoint) {
    this.endpoint = typeof place === 'string' ? onSocket(place) : place;
  }

  async read<T>(caller: Caller, path: string, options: CallOptions = {}): Promise<T> {
    return parse<T>(await collect(await this.send(caller, 'GET', path, options)));
  }

  async readBytes(caller: Caller, path: string, options: CallOptions = {}): Promise<Buffer> {
    return collect(await this.send(caller, 'GET', path, options));
  }

  async download(caller: Caller, path: string, options: CallOptions = {}): Promise<Readable> {
    return this.send(caller, 'GET', path, options);
  }

  /** Sends a request that changes the engine's state, immediately after the caller's checkpoint. */
  async change<T>(
    caller: Caller,
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    options: CallOptions = {},
  ): Promise<T> {
    if (caller.signal.aborted) throw noResponse(`${method} ${path}: ${stopped}`, caller.signal.reason);
    caller.checkpoint();
    return parse<T>(await collect(await this.send(caller, method, path, options)));
  }

  /** As `change`, with the response as a stream. */
  async changeStream(caller: Caller, method: 'POST', path: string, options: CallOptions = {}): Promise<Readable> {
    if (caller.signal.aborted) throw noResponse(`${method} ${path}: ${stopped}`, caller.signal.reason);
    caller.checkpoint();
    return this.send(caller, method, path, options);
  }

  protected async send(caller: Caller, method: string, path: string, options: CallOptions): Promise<IncomingMessage> {
    const call = `${method} ${path}`;
    const deadline = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    try {
      const answer = await this.exchange(AbortSignal.any([caller.signal, deadline]), method, path, options);
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return answer;
      throw errorOfResponse(call, status, messageOf(await collect(answer)));
    } catch (error) {
      if (error instanceof DriverError) throw error;
      if (caller.signal.aborted) throw noResponse(`${call}: ${stopped}`, caller.signal.reason);
      const reason = deadline.aborted ? 'did not answer in time' : `does not answer${whyIn(error)}`;
      throw noResponse(`${call}: the engine at ${this.endpoint.shown} ${reason}`, error);
    }
  }

  private async exchange(
    signal: AbortSignal,
    method: string,
    path: string,
    options: CallOptions,
  ): Promise<IncomingMessage> {
    const place = await this.endpoint.dial();
    const body = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const headers = options.upload
      ? { host: 'engine', 'content-type': 'application/x-tar' }
      : { host: 'engine', 'content-length': body?.length ?? 0, ...(body && { 'content-type': 'application/json' }) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          ...place,
          path: target(path, options),
          method,
          headers: { ...headers, ...options.headers },
          signal,
        },
        resolve,
      );
      outgoing.on('error', reject);
      if (options.upload) pipeline(options.upload, outgoing).catch(reject);
      else outgoing.end(body);
    });
  }
}

function whyIn(error: unknown): string {
  const { message } = Object(error) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? ` (${message.slice(0, 300)})` : '';
}

function target(path: string, options: CallOptions): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(options.query ?? {}))
    if (value !== undefined) query.set(key, String(value));
  return query.size > 0 ? `${path}?${query}` : path;
}

function collect(answer: IncomingMessage): Promise<Buffer> {
  return buffer(answer).catch((cause: unknown) => {
    throw noResponse('the engine closed the connection during its response', cause);
  });
}

/** The caller names the type of the response by the engine's API; the response itself is not validated. */
function parse<T>(body: Buffer): T {
  if (body.length === 0) return undefined as T;
  const text = body.toString('utf8');
  try {
    return JSON.parse(text) as T;
  } catch {
    return text as T; // progress streams (import, load) and _ping are not a single JSON document
  }
}

function messageOf(body: Buffer): string {
  const answer = parse<unknown>(body);
  if (typeof answer === 'object' && answer !== null && 'message' in answer) return String(answer.message);
  return typeof answer === 'string' ? answer.slice(0, 300) : '';
}
