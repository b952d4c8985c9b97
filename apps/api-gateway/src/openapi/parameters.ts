import { primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { isObject } from '../http/members.js';
import { fieldNames } from '../validation/known-fields.js';
import { whoamiRoute } from '../routes/access.routes.js';
import { takesIfMatch, type Route } from '../routes/route.js';
import type { Json, SchemaRenderer } from './schema-renderer.js';

function ofPlace(renderer: SchemaRenderer, schema: JsonSchema, place: 'path' | 'query'): Json[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const listed = Object.entries(properties).map(([name, value]) => {
    const { description, ...one } = isObject(value) ? renderer.render(value) : {};
    const isRequired = place === 'path' || required.includes(name);
    return { name, in: place, required: isRequired, ...omitUndefined({ description }), schema: one };
  });
  if (place === 'path' || !isObject(schema['patternProperties'])) return listed;
  const { patternProperties } = schema;
  const description = 'filters by label: `labels.<key>=<value>`, `labels.<key>~=<prefix>`';
  // exploded: each member of the object is a parameter with its own name
  const labels = { name: 'labels', in: 'query', required: false, style: 'form', explode: true, description };
  return [...listed, { ...labels, schema: { type: 'object', patternProperties, additionalProperties: false } }];
}

const header = (name: string, description: string, schema: Json = p.anyString): Json => {
  return { name, in: 'header', required: false, schema, description };
};

const correlationId = header(
  'X-Correlation-Id',
  'names the request in logs, events and the response; others are replaced',
  {
    type: 'string',
    pattern: '^[A-Za-z0-9._:-]{1,128}$',
  },
);
const minPosition = header('Stave-Min-Position', 'reads wait until they show this position', {
  type: 'integer',
  minimum: 0,
});
const idempotencyKey = header(
  'Idempotency-Key',
  'repeats the same request safely: within 24 hours the same key and request return the same response',
  { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
);
const ifMatch = header(
  'If-Match',
  '`"<revision>"`: the request is refused with 412 when the resource has another revision',
  {
    type: 'string',
    pattern: '^(?:\\*|"[0-9]{1,15}")$',
  },
);
const project = header(
  'Stave-Project',
  'the id or name of the project in which the request is made: required of requesters with several, `default` for operators',
);
const lastEventId = header(
  'Last-Event-ID',
  'the `id` of the last event that was received: the stream resumes after it',
);

function headers(route: Route): Json[] {
  const { access, method, stream } = route;
  if (access === 'public') return [correlationId];
  const choice = route.id === whoamiRoute.id ? [] : [project];
  const resumption = stream === 'text/event-stream' ? [lastEventId] : [];
  if (method === 'GET') return [correlationId, ...choice, minPosition, ...resumption];
  return [correlationId, ...choice, idempotencyKey, ...(takesIfMatch(route) ? [ifMatch] : [])];
}

/** Returns the schema of the query, in which `fields` takes the members of the documents only. */
function withKnownFields(route: Route): JsonSchema {
  const properties = isObject(route.query['properties']) ? route.query['properties'] : {};
  const { fields } = properties;
  const names = fieldNames(route);
  if (!isObject(fields) || names.length === 0) return route.query;
  const one = `(?:${names.join('|')})(?:\\.[A-Za-z0-9][A-Za-z0-9._/-]*)?`;
  const known = { ...fields, pattern: `^${one}(?:,${one})*$` };
  return { ...route.query, properties: { ...properties, fields: known } };
}

/** Renders the parameters of a route: those of its path and query, and the headers that it reads. */
export const parametersOf = (renderer: SchemaRenderer, route: Route): Json[] => [
  ...ofPlace(renderer, route.params, 'path'),
  ...ofPlace(renderer, withKnownFields(route), 'query'),
  ...headers(route),
];
