import { bodyProblems, createAjv } from '@stave/service-kit';
import { allRoutes } from './routes/index.js';
import type { Route } from './routes/route.js';
import { GatewayStub } from './testing/gateway-stub.js';
import { RouteValidator } from './validation/route-validator.js';

type Schema = Readonly<Record<string, unknown>>;

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { parameters: { name: string; in: string }[]; responses: object }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The schemas of objects with named members, at any depth, as JSON. */
function objectSchemas(value: unknown): Schema[] {
  if (!isObject(value)) return [];
  const nested = Object.values(value).flatMap(objectSchemas);
  // the members of a resource can be called `type` and `properties`, too
  const isSchema = isObject(value['properties']) && value['type'] !== undefined && !isObject(value['type']);
  return isSchema ? [value, ...nested] : nested;
}

describe('the OpenAPI document', () => {
  let stub: GatewayStub;
  let document: Document;
  beforeAll(async () => {
    stub = await GatewayStub.start();
    document = (await (await stub.call('GET', '/openapi.json', { key: null })).json()) as Document;
  });
  afterAll(() => stub.close());

  it('the OpenAPI document contains every route once and names every path parameter', () => {
    expect(document.openapi).toBe('3.1.0');
    const operations = Object.values(document.paths).flatMap(Object.values);
    expect(operations).toHaveLength(allRoutes.length);
    expect(new Set(allRoutes.map(route => route.id)).size).toBe(operations.length);
    for (const [path, methods] of Object.entries(document.paths)) {
      const wanted = [...path.matchAll(/{(\w+)}/g)].map(match => match[1]);
      for (const { parameters } of Object.values(methods))
        expect(parameters.filter(p => p.in === 'path').map(p => p.name)).toEqual(wanted);
    }
  });

  it('the OpenAPI document describes routes whose summary is not enough', () => {
    expect(document.paths['/v1/containers']?.['post']).toMatchObject({
      description: expect.stringContaining('replaces the same member of the profile completely'),
    });
    expect(document.paths['/v1/containers']?.['get']).not.toHaveProperty('description');
  });

  it('the OpenAPI document declares responses in plain text', () => {
    expect(document.paths['/v1/containers/{id}/logs']?.['get']?.responses).toMatchObject({
      200: { content: { 'application/json': {}, 'text/plain': { schema: { type: 'string' } } } },
    });
  });

  it('the OpenAPI document refers only to component schemas that exist and compile', () => {
    const ajv = createAjv(false).addVocabulary(['components']);
    ajv.addSchema({ $id: 'doc', components: document.components });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      m => m[1] ?? '',
    );
    expect(references.length).toBeGreaterThan(50);
    for (const name of new Set(references)) {
      expect(document.components.schemas).toHaveProperty(name);
      expect(() => ajv.compile({ $ref: `doc#/components/schemas/${name}` })).not.toThrow();
    }
  });

  it('the OpenAPI document closes every response object that has named members, except problems', () => {
    const { Problem: _problem, ...components } = document.components.schemas;
    const schemas = objectSchemas([components, allRoutes.map(({ answers }) => answers)]);
    expect(schemas.length).toBeGreaterThan(50);
    for (const schema of schemas) expect(schema).toMatchObject({ additionalProperties: false });
  });

  it.each(allRoutes.map(route => [route.id, route] as const))(
    'the OpenAPI document has a valid example for %s',
    (_, route: Route) => {
      const query = Object.fromEntries(new URLSearchParams(route.example.query));
      const { params = {}, body } = route.example;
      const target = Object.fromEntries([...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'web']));
      expect(() => new RouteValidator().check(route, { ...target, ...params }, query, body)).not.toThrow();
      if (route.body) expect(bodyProblems(route.body, body)).toEqual([]);
    },
  );
});
