/** A request in a page of the docs, with the status that the page promises. */
export interface GuideRequest {
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** Whether the next request waits for the operation that this one starts. */
  readonly awaited: boolean;
}

const FENCE = /^```http\n([\s\S]*?)^```$/gm;
const PROMISE = /<!--\s*(\d{3})(, not awaited)?\s*-->\s*$/;
const HEADER = /^([A-Za-z-]+): (.*)$/;

/**
 * Returns the `http` blocks of a page in order: request line, headers, an empty line, body. Each must be preceded by `<!-- 201 -->`
 * or `<!-- 202, not awaited -->`; throws for a block that is not.
 */
export function guideRequests(page: string): readonly GuideRequest[] {
  return [...page.matchAll(FENCE)].map(({ index, 1: text = '' }) => {
    const line = page.slice(0, index).split('\n').length;
    const promise = PROMISE.exec(page.slice(0, index));
    if (!promise)
      throw new Error(`line ${line}: the block has no expected status; write <!-- 200 --> before the block`);
    return { line, ...requestIn(text, line), status: Number(promise[1]), awaited: promise[2] === undefined };
  });
}

function requestIn(text: string, line: number): Pick<GuideRequest, 'method' | 'path' | 'headers' | 'body'> {
  const [head = '', ...rest] = text.split('\n\n');
  const [request = '', ...headers] = head.trim().split('\n');
  const [method = '', path = ''] = request.split(' ');
  if (!path.startsWith('/')) throw new Error(`line ${line}: ${request} is not a request line such as GET /v1/clusters`);
  const body = rest.join('\n\n').trim();
  return { method, path, headers: Object.fromEntries(headers.map(pairOf)), ...(body === '' ? {} : { body }) };
}

function pairOf(header: string): readonly [string, string] {
  const [, name, value] = HEADER.exec(header) ?? [];
  if (name === undefined || value === undefined) throw new Error(`${header} is not a header of the form name: value`);
  return [name.toLowerCase(), value];
}
