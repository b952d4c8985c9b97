import { omitUndefined } from '@stave/domain';
import { SESSION_COOKIE } from '../sign-in/cookies.js';
import type { Route } from '../routes/route.js';
import { parametersOf } from './parameters.js';
import { ResponseRenderer } from './responses.js';
import { SchemaRenderer, type Json } from './schema-renderer.js';

const bearerDescription =
  'an API key, or the JWT access token of an issuer that the operator of the installation has configured';

const sessionDescription =
  'the cookie of a browser that has signed in by `/v1/auth/login`; a change with it requires `Origin`';

function operation(schemas: SchemaRenderer, responses: ResponseRenderer, route: Route): Json {
  const media = route.body && { schema: schemas.render(route.body), example: route.example.body };
  const content = media && {
    'application/json': media,
    ...(route.method === 'PATCH' ? { 'application/merge-patch+json': media } : {}),
  };
  return {
    operationId: route.id,
    summary: route.summary,
    ...omitUndefined({ description: route.description }),
    tags: [route.tag],
    parameters: parametersOf(schemas, route),
    ...(content ? { requestBody: { required: !route.bodyOptional, content } } : {}),
    responses: responses.render(route),
    'x-stave-role': route.access,
    security: route.access === 'public' ? [] : [{ apiKey: [] }, { session: [] }],
  };
}

/** Returns the OpenAPI document of the routes. Throws RangeError for two schemas with one name. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const schemas = new SchemaRenderer();
  const responses = new ResponseRenderer(schemas);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(schemas, responses, route);
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
    components: {
      schemas: schemas.components,
      responses: responses.components,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: bearerDescription },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: sessionDescription },
      },
    },
  };
}
