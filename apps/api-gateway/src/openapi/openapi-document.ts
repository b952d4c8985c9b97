import type { Answers, Route } from '../routes/route.js';
import { schemaName, type JsonSchema } from '@stave/contracts/schemas';
import { problem } from '../schemas/problem.schema.js';
import { titles } from '../problems/error-status.js';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: one,
    };
  });
  if (place === 'path' || !isObject(schema['patternProperties'])) return listed;
  const labels = { type: 'object', additionalProperties: { type: 'string' } };
  const description = 'filters by label: `labels.<key>=<value>`, `labels.<key>~=<prefix>`';
  return [
    ...listed,
    { name: 'labels', in: 'query', required: false, style: 'deepObject', description, schema: labels },
  ];
}

const header = (name: string, schema: Json, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  schema,
  description,
});

function headers(route: Route): Json[] {
  if (route.access === 'public') return [];
  const position = header(
    'Stave-Min-Position',
    { type: 'integer', minimum: 0 },
    'reads wait until they show this position',
  );
  if (route.method === 'GET') return [position];
  return [
    header(
      'Idempotency-Key',
      { type: 'string', minLength: 1, maxLength: 255 },
      'repeats the same request safely: the same key and request return the same response',
    ),
    ...(route.method === 'POST'
      ? []
      : [
          header(
            'If-Match',
            { type: 'string' },
            '`"<revision>"`: the request is refused with 412 when the resource has another revision',
          ),
        ]),
  ];
}

function answersOf(renderer: SchemaRenderer, route: Route, answers: Answers): Json {
  const rendered: Json = {};
  for (const status of Object.keys(answers)) {
    const schema = answers[Number(status)];
    const stream =
      route.stream !== undefined && status === '200' ? { [route.stream]: { schema: { type: 'string' } } } : {};
    const content = schema && {
      [route.mediaType ?? 'application/json']: { schema: renderer.render(schema) },
      ...stream,
    };
    rendered[status] = {
      description: titles[Number(status)] ?? 'Success',
      ...(content ? { content } : {}),
    };
  }
  const problems = { 'application/problem+json': { schema: renderer.render(problem) } };
  rendered['default'] = { description: 'Problem', content: problems };
  return rendered;
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
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    parameters: [
      ...parameters(renderer, route.params, 'path'),
      ...parameters(renderer, route.query, 'query'),
      ...headers(route),
    ],
    ...(content ? { requestBody: { required: !route.bodyOptional, content } } : {}),
    responses: answersOf(renderer, route, route.answers),
    security: route.access === 'public' ? [] : [{ apiKey: [] }],
  };
}

/** The OpenAPI 3.1 document of the declared routes. */
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
