import type { ServiceName, ServiceReply } from '@stave/contracts';
import { aResource, anEvent, GatewayStub } from './testing/gateway-stub.js';
import { allRoutes } from './routes/index.js';
import type { Route } from './routes/route.js';
import { makeAjv } from './validation/ajv.js';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { parameters: { name: string; in: string }[]; responses: object }>>;
  readonly components: { readonly schemas: Record<string, object> };
}

const id = '0198c5a0-0000-7000-8000-000000000001';
const anOperation = { id: 'c-1', kind: 'cluster.create', status: 'SUCCEEDED', createdAt: '2026-01-02T03:04:05.678Z' };
const aReadModel = {
  ...{ id: 'nodegroup-service.nodes', service: 'nodegroup-service', name: 'nodes', status: 'BUILDING', version: 1 },
  serving: null,
  building: { collection: 'nodes@1', version: 1, startedAt: anOperation.createdAt, written: 0, total: 3 },
};
const command: ServiceReply = {
  ok: true,
  data: { resource: aResource({ key: 'k' }), operationId: 'c-1' },
  position: 1,
};
const done: ServiceReply = { ok: true, data: { resource: aResource({ key: 'k' }) }, position: 1 };
const instant = new Set(['project', 'api-key', 'container-profile', 'cluster-template', 'node-group-template']);
const mark = { revision: 1, time: '2026-01-02T03:04:05.678Z' };
const diff: ServiceReply = { ok: true, data: { from: mark, to: mark, events: 0, changes: [] } };
const page: ServiceReply = { ok: true, data: { items: [], nextCursor: null } };

const owned: readonly (readonly [ServiceName, readonly string[]])[] = [
  ['cluster-service', ['cluster', 'project', 'api-key', 'conductor', 'driver', 'ring', 'conductor-group']],
  ['cluster-service', ['cluster-template', 'node-group-template']],
  ['nodegroup-service', ['node-group', 'node']],
  ['container-scheduler', ['container-profile', 'container']],
];

function serveEverything(stub: GatewayStub): void {
  for (const [service, resources] of owned) {
    for (const resource of resources) {
      for (const verb of ['create', 'patch', 'delete', 'action'])
        stub.serve(service, resource, verb, async () => (instant.has(resource) ? done : command));
      stub.serve(service, resource, 'get', async () => ({ ok: true, data: aResource() }));
      stub.serve(service, resource, 'list', async () => page);
      stub.serve(service, resource, 'diff', async () => diff);
    }
    stub.serve(service, 'operation', 'get', async () => ({ ok: true, data: anOperation }));
    stub.serve(service, 'operation', 'cancel', async () => ({ ok: true, data: anOperation }));
    stub.serve(service, 'operation', 'list', async () => page);
    stub.serve(service, 'read-model', 'list', async () => ({ ok: true, data: [aReadModel] }));
    for (const verb of ['get', 'rebuild'])
      stub.serve(service, 'read-model', verb, async () => ({ ok: true, data: aReadModel }));
  }
  for (const [resource, verb] of [
    ['cluster', 'credentials'],
    ['ring', 'lookup'],
  ] as const)
    stub.serve('cluster-service', resource, verb, async () => ({ ok: true, data: {} }));
  stub.serve('container-scheduler', 'container', 'logs', async () => ({ ok: true, data: 'line\n' }));
  stub.serve('container-scheduler', 'container', 'stats', async () => ({
    ok: true,
    data: { cpuCores: 1, memoryMb: 2, at: '2026-01-02T03:04:05Z' },
  }));
}

const pathOf = ({ path, example }: Route): string =>
  path.replace(/:([a-zA-Z]+)/g, (_, param: string) => encodeURIComponent(example.params?.[param] ?? id));

describe('gateway: the OpenAPI document', () => {
  let stub: GatewayStub;
  let document: Document;
  beforeAll(async () => {
    stub = await GatewayStub.start();
    serveEverything(stub);
    for (const category of [
      'cluster',
      'clusterTemplate',
      'nodeGroup',
      'nodeGroupTemplate',
      'node',
      'container',
      'containerProfile',
      'project',
    ])
      await stub.store.append(`${category}-${id}`, [anEvent('Happened', { clusterId: id })], 'any');
    document = (await (await stub.call('GET', '/openapi.json', { key: null })).json()) as Document;
  });
  afterAll(() => stub.close());

  it('is OpenAPI 3.1, has every route once, and names every path parameter', () => {
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

  it('describes a route further where its summary is not enough', () => {
    expect(document.paths['/v1/containers']?.['post']).toMatchObject({
      description: expect.stringContaining('replaces the same member of the profile completely'),
    });
    expect(document.paths['/v1/containers']?.['get']).not.toHaveProperty('description');
  });

  it('has the text that an answer may be instead of JSON, too', () => {
    expect(document.paths['/v1/containers/{id}/logs']?.['get']?.responses).toMatchObject({
      200: { content: { 'application/json': {}, 'text/plain': { schema: { type: 'string' } } } },
    });
  });

  it('refers to components that exist and compile', () => {
    const ajv = makeAjv(false).addVocabulary(['components']);
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

  it.each(allRoutes.map(route => [route.id, route] as const))(
    '%s takes its example and answers as it says',
    async (_, route) => {
      const query = route.example.query ? `?${route.example.query}` : '';
      const body = route.body ? { body: route.example.body } : {};
      const answer = await stub.call(route.method, pathOf(route) + query, body);
      expect(Object.keys(route.answers)).toContain(String(answer.status));
      const schema = route.answers[answer.status];
      const text = await answer.text();
      if (!schema) return expect(text).toBe('');
      const value: unknown = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
      const validate = makeAjv(false).compile(schema);
      validate(value);
      expect(validate.errors ?? []).toEqual([]);
    },
  );
});
