import { exact, listOf, named, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { titleOf } from '../problems/problem.js';
import type { Route } from '../routes/route.js';
import { withChosenFields, type Json, type SchemaRenderer } from './schema-renderer.js';

/** A problem of RFC 9457 with its stable `code`. A refusal can carry more members: candidates, conductors that are available. */
const problem = named('Problem', {
  ...exact(
    { ...p.texts('type', 'title', 'detail', 'instance', 'code', 'correlationId'), status: p.anyInteger },
    {
      errors: listOf(exact(p.texts('pointer', 'code', 'detail')), { maxItems: 100 }),
      moreErrors: { ...p.anyInteger, description: 'the number of errors that are not listed' },
    },
  ),
  additionalProperties: true,
});

const responseHeader = (description: string, schema: Json = p.anyString, required = false): Json => ({
  description,
  ...(required ? { required } : {}),
  schema,
});

const correlation = {
  'X-Correlation-Id': responseHeader('names the request in logs and events; that of the request, or a new one', {
    ...p.anyString,
    minLength: 1,
  }),
};
const etag = {
  ETag: responseHeader('the revision of the resource in quotes', { type: 'string', pattern: '^"[0-9]+"$' }),
};
const position = {
  'Stave-Position': responseHeader('a read with this `minPosition` shows what the response shows or did', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
};
const location = (of: string): Json => ({ Location: responseHeader(`the path of the ${of}`, p.anyString, true) });
const setCookie = { 'Set-Cookie': responseHeader('cookies, which browsers keep', p.anyString) };
const retryAfter = (isAlwaysThere: boolean): Json => ({
  'Retry-After': responseHeader(
    'after how many seconds the request can be repeated',
    { type: 'string', pattern: '^[0-9]+$' },
    isAlwaysThere,
  ),
});
const authenticate = { 'WWW-Authenticate': responseHeader('the scheme of the credentials', { const: 'Bearer' }, true) };

/** One event of a stream of server-sent events. */
const streamedEvent = {
  ...exact({ data: { ...p.anyString, description: 'the event, as JSON' } }, p.texts('id', 'event')),
  description: 'one of the events that follow each other in the stream',
};

const isChange = ({ method }: Route): boolean => method !== 'GET';

function headersOf(route: Route, status: string): Json {
  const verb = route.dispatch?.verb;
  if (route.tag === 'auth')
    return status === '303' ? { ...correlation, ...location('next page'), ...setCookie } : correlation;
  if (isChange(route)) {
    const changed = { ...correlation, ...etag, ...position };
    if (status === '201') return { ...changed, ...location('new resource') };
    if (status === '202') return { ...changed, ...location('operation, or of what shows the progress') };
    return changed;
  }
  if (verb === 'quotas') return { ...correlation, ...etag };
  if (verb === 'get') return { ...correlation, ...etag, ...position };
  return route.id === 'getOperation' ? { ...correlation, ...position } : correlation;
}

const unlimited: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** The statuses of refusals that a client must expect from the route; `default` is for the others, which a defect or a proxy causes. */
function refusalsOf(route: Route): number[] {
  const statuses = [400];
  if (route.access !== 'public') statuses.push(401, 403, 404, 422, 503);
  if (isChange(route)) statuses.push(409, 412);
  if (route.tag === 'auth') statuses.push(403, 404, 503);
  if (route.body) statuses.push(413, 415);
  if (!unlimited.has(route.path)) statuses.push(429);
  return statuses.filter(status => !(status in route.answers)).sort((a, b) => a - b);
}

const headersOfProblem = (status: number): Json => ({
  ...correlation,
  ...(status === 401 ? authenticate : {}),
  ...(status === 429 || status === 503 ? retryAfter(true) : {}),
  // a cooldown ends
  ...(status === 409 ? retryAfter(false) : {}),
});

/** Renders the responses of routes. Those of refusals are components. */
export class ResponseRenderer {
  readonly components: Record<string, Json> = {};

  constructor(private readonly schemas: SchemaRenderer) {}

  render(route: Route): Json {
    const answers = Object.entries(route.answers).map(([status, schema]) => [
      status,
      this.answer(route, status, schema),
    ]);
    const refusals = refusalsOf(route).map(status => [String(status), this.refusal(`Problem${status}`, status)]);
    const entries: Json = Object.fromEntries([...answers, ...refusals]);
    return { ...entries, default: this.refusal('Problem', 500) };
  }

  private answer(route: Route, status: string, schema: JsonSchema | null): Json {
    const streamed = route.stream === 'text/event-stream' ? streamedEvent : p.anyString;
    const stream = status === '200' && route.stream ? { [route.stream]: { schema: streamed } } : {};
    const media = route.mediaType ?? 'application/json';
    const content = schema && { [media]: { schema: this.schemaOf(route, status, schema) }, ...stream };
    const description = Number(status) < 400 ? 'Success' : titleOf(Number(status));
    return { description, headers: headersOf(route, status), ...omitUndefined({ content: content ?? undefined }) };
  }

  private schemaOf(route: Route, status: string, schema: JsonSchema): Json {
    const isChosen = status === '200' && 'fields' in Object(route.query['properties']);
    const complete = this.schemas.render(schema);
    return isChosen ? { anyOf: [complete, this.schemas.render(withChosenFields(schema))] } : complete;
  }

  private refusal(name: string, status: number): Json {
    const content = { 'application/problem+json': { schema: this.schemas.render(problem) } };
    const description = name === 'Problem' ? 'Problem' : titleOf(status);
    this.components[name] ??= { description, headers: headersOfProblem(status), content };
    return { $ref: `#/components/responses/${name}` };
  }
}
