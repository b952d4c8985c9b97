import { exact, listOf, named, primitives as p, schemaName, type JsonSchema } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { isObject } from '../http/members.js';
import { titleOf } from '../problems/problem.js';
import type { Route } from '../routes/route.js';

type Json = Record<string, unknown>;

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

/** Renders schemas. A schema with a name becomes a component, which others refer to. */
class SchemaRenderer {
  readonly components: Record<string, Json> = {};

  render(schema: JsonSchema): Json {
    const name = schemaName(schema);
    if (name === undefined) return this.members(schema);
    if (!(name in this.components)) {
      this.components[name] = {};
      this.components[name] = this.members(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private members(schema: JsonSchema): Json {
    if (schema['immutable'] === true) return { not: {}, description: schema['description'] };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.value(value)]));
  }

  private value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(one => this.value(one));
    return isObject(value) ? this.render(value) : value;
  }
}

function parameters(renderer: SchemaRenderer, schema: JsonSchema, place: 'path' | 'query'): Json[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const listed = Object.entries(properties).map(([name, value]) => {
    const { description, ...one } = isObject(value) ? renderer.render(value) : {};
    const isRequired = place === 'path' || required.includes(name);
    return { name, in: place, required: isRequired, ...omitUndefined({ description }), schema: one };
  });
  if (place === 'path' || !isObject(schema['patternProperties'])) return listed;
  const schemaOfLabels = { type: 'object', additionalProperties: { type: 'string' } };
  const description = 'filters by label: `labels.<key>=<value>`, `labels.<key>~=<prefix>`';
  const labels = { name: 'labels', in: 'query', required: false, style: 'deepObject', description };
  return [...listed, { ...labels, schema: schemaOfLabels }];
}

const header = (name: string, description: string, schema: Json = p.anyString): Json => {
  return { name, in: 'header', required: false, schema, description };
};
const minPosition = { type: 'integer', minimum: 0 };
const keyText = { type: 'string', minLength: 1, maxLength: 255 };
const keyUse = 'repeats the same request safely: the same key and request return the same response';
const ifMatchUse = '`"<revision>"`: the request is refused with 412 when the resource has another revision';

function headers({ access, method }: Route): Json[] {
  if (access === 'public') return [];
  if (method === 'GET') return [header('Stave-Min-Position', 'reads wait until they show this position', minPosition)];
  const key = header('Idempotency-Key', keyUse, keyText);
  return method === 'POST' ? [key] : [key, header('If-Match', ifMatchUse)];
}

function responses(renderer: SchemaRenderer, route: Route): Json {
  const entries = Object.entries(route.answers).map(([status, schema]) => {
    const stream = status === '200' && route.stream ? { [route.stream]: { schema: { type: 'string' } } } : {};
    const content = schema
      ? { [route.mediaType ?? 'application/json']: { schema: renderer.render(schema) }, ...stream }
      : undefined;
    const description = Number(status) < 400 ? 'Success' : titleOf(Number(status));
    return [status, { description, ...omitUndefined({ content }) }];
  });
  const problems = { 'application/problem+json': { schema: renderer.render(problem) } };
  return { ...Object.fromEntries(entries), default: { description: 'Problem', content: problems } };
}

function operation(renderer: SchemaRenderer, route: Route): Json {
  const media = route.body && { schema: renderer.render(route.body), example: route.example.body };
  const content = media && {
    'application/json': media,
    ...(route.method === 'PATCH' ? { 'application/merge-patch+json': media } : {}),
  };
  return {
    operationId: route.id,
    summary: route.summary,
    ...omitUndefined({ description: route.description }),
    tags: [route.tag],
    parameters: [
      ...parameters(renderer, route.params, 'path'),
      ...parameters(renderer, route.query, 'query'),
      ...headers(route),
    ],
    ...(content ? { requestBody: { required: !route.bodyOptional, content } } : {}),
    responses: responses(renderer, route),
    security: route.access === 'public' ? [] : [{ apiKey: [] }],
  };
}

export function openApiDocument(routes: readonly Route[], version: string): Json {
  const renderer = new SchemaRenderer();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(renderer, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stave',
      version,
      description: 'Control plane for fleets of container clusters',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: renderer.components, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  };
}
