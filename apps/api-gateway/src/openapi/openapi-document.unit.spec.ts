import { exact, named, primitives as p, type JsonSchema } from '@stave/contracts/schemas';
import { allRoutes } from '../routes/index.js';
import { route } from '../routes/route.js';
import { openApiDocument } from './openapi-document.js';

const schemaOf = (text: string) => exact(p.texts(text));
const routeWith = (id: string, answer: JsonSchema) =>
  route(id, 'GET', `/v1/${id}`, { summary: id, answers: { 200: answer } });

describe('the OpenAPI document', () => {
  it('two schemas with one name are refused, so that no reference points to a wrong component', () => {
    const routes = [routeWith('a', named('Thing', schemaOf('a'))), routeWith('b', named('Thing', schemaOf('b')))];
    expect(() => openApiDocument(routes, '1')).toThrow('two schemas have the name Thing');
    const shared = named('Other', schemaOf('c'));
    expect(() => named('Another', shared)).toThrow('the names Other and Another');
  });

  it('every reference has a component, and every component is used', () => {
    const document = openApiDocument(allRoutes, '1');
    const text = JSON.stringify(document);
    const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name));
    const { components } = document as { components: Record<string, object> };
    const known = ['schemas', 'responses'].flatMap(kind =>
      Object.keys(components[kind] ?? {}).map(n => `${kind}/${n}`),
    );
    expect([...used].sort()).toEqual(known.sort());
  });

  it('every operation says which role it requires, and what changes something requires more than a reader', () => {
    const { paths } = openApiDocument(allRoutes, '1') as {
      paths: Record<string, Record<string, { 'x-stave-role': string; security: unknown[] }>>;
    };
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { 'x-stave-role': role, security }] of Object.entries(operations)) {
        const isPublic = !path.startsWith('/v1/') || /^\/v1\/auth(\/|$)/.test(path);
        expect([path, method, role === 'public', security.length === 0]).toEqual([path, method, isPublic, isPublic]);
        if (!isPublic)
          expect(['reader', 'member', 'admin', 'operator'].slice(method === 'get' ? 0 : 1)).toContain(role);
      }
  });

  it('every operation declares the refusals that a client must expect, with their headers', () => {
    const { paths, components } = openApiDocument(allRoutes, '1') as {
      paths: Record<string, Record<string, { responses: object; security: unknown[] }>>;
      components: { responses: Record<string, { headers: object }> };
    };
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { responses, security }] of Object.entries(operations)) {
        const wanted = ['400', 'default'];
        if (security.length > 0) wanted.push('401', '403', '404', '422', '429', '503');
        if (method !== 'get') wanted.push('409', '412');
        expect([`${method} ${path}`, Object.keys(responses)]).toEqual([
          `${method} ${path}`,
          expect.arrayContaining(wanted),
        ]);
      }
    expect(components.responses['Problem503']?.headers).toHaveProperty('Retry-After');
    expect(components.responses['Problem401']?.headers).toHaveProperty('WWW-Authenticate');
  });
});
