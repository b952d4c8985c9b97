/** The answer of a handler. A body without a Content-Type header is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  headers,
  body,
});

export const etag = (revision: unknown): Record<string, string> =>
  typeof revision === 'number' ? { ETag: `"${revision}"` } : {};

/** `position` is that of the last event that a command appended or that a read shows. */
export const positionHeader = (position: number | undefined): Record<string, string> =>
  position === undefined ? {} : { 'Stave-Position': String(position) };
