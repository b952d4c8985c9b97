import { parsed, type Received } from './transport.js';

/** A successful answer of the API. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  /** The revision of the resource in quotes, for `ifMatch`. */
  readonly etag: string | undefined;
  /** The operation that the change started, for `wait`. */
  readonly operationId: string | undefined;
  /** The position of the log that the answer shows, or that the change has made. */
  readonly position: number | undefined;
  readonly correlationId: string | undefined;
  readonly headers: Headers;
}

/** `path` is that of the request, for errors. Throws StaveError for JSON that cannot be parsed. */
export function answerOf<T>(path: string, { status, headers, text }: Received): Answer<T> {
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  const isJson = /[/+]json/.test(header('content-type') ?? '');
  const position = Number(header('stave-position') ?? NaN);
  return {
    data: (text === '' ? undefined : isJson ? parsed(text, path) : text) as T,
    status,
    etag: header('etag'),
    operationId: /\/v1\/operations\/([^/?]+)$/.exec(header('location') ?? '')?.[1],
    position: Number.isNaN(position) ? undefined : position,
    correlationId: header('x-correlation-id'),
    headers,
  };
}
