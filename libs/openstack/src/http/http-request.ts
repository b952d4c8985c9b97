import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { DriverError } from '@stave/driver-sdk';

const largestAnswer = 32 << 20;

/** A request for JSON. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly authorities?: string;
}

/** An answer, whatever its status. `body` is parsed JSON, undefined when there is none. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
}

/**
 * Sends a request. Throws a transient DriverError when there is no answer within the time, when the answer is larger than 32 MiB or not
 * JSON, and when the signal fires. Messages contain the host and no header.
 */
export function sendRequest(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, timeoutMs, authorities } = request;
  const place = new URL(url);
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...request.headers,
  };
  const send = place.protocol === 'https:' ? requestHttps : requestHttp;
  const failed = (cause: unknown): DriverError => {
    const why = deadline.aborted ? `did not answer within ${timeoutMs / 1_000} s` : 'does not answer';
    return new DriverError('transient', `${place.host} ${why}`, { cause });
  };
  return new Promise((resolve, reject) => {
    // a connection of its own: servers end idle ones at any time, and a request that was sent on such a one may be executed or not
    const options = { method, headers, signal, agent: false, ...(authorities && { ca: authorities }) } as const;
    const outgoing = send(place, options, answer => {
      const pieces: Buffer[] = [];
      let size = 0;
      answer.on('data', (piece: Buffer) => {
        size += piece.length;
        pieces.push(piece);
        if (size > largestAnswer) answer.destroy(new Error('the answer is too large'));
      });
      answer.once('error', error => reject(failed(error)));
      answer.once('end', () => {
        const status = answer.statusCode ?? 0;
        try {
          resolve({ status, headers: answer.headers, body: parsedJson(Buffer.concat(pieces).toString(), status) });
        } catch (cause) {
          reject(new DriverError('transient', `${place.host} answered with something that is not JSON`, { cause }));
        }
      });
    });
    outgoing.once('error', error => reject(failed(error)));
    outgoing.end(body);
  });
}

/** Proxies and web servers answer errors as HTML: the status says enough then. */
function parsedJson(text: string, status: number): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (status >= 400) return undefined;
    throw error;
  }
}
