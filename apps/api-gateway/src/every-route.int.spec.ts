import { allRoutes } from './routes/index.js';
import type { Route } from './routes/route.js';
import { problemIn } from './testing/answers.js';
import { GatewayStub } from './testing/gateway-stub.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const paths = [...new Set(allRoutes.map(({ path }) => path))];
const methodsOf = (path: string): readonly string[] => allRoutes.filter(r => r.path === path).map(r => r.method);
const filled = (path: string): string => path.replaceAll(/:[a-zA-Z]+/g, 'x1');
/** The files of Swagger UI are the same for everybody and every release of it. */
const cacheable = ['docsScript', 'docsStyle'];
/** A request of the route as the API documents it. */
const requestOf = ({ path, example: { params = {}, query = '' } }: Route): string =>
  path.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => params[name] ?? 'x1') + (query === '' ? '' : `?${query}`);

describe('every route', () => {
  let stub: GatewayStub;
  beforeAll(async () => (stub = await GatewayStub.start()));
  afterAll(() => stub.close());

  const commonHeaders = ({ headers }: Response): readonly (string | null)[] => [
    headers.get('cache-control'),
    headers.get('x-content-type-options'),
  ];

  it.each(paths)('answers 405 with Allow to the methods that %s does not support', async path => {
    const supported = methodsOf(path);
    const allow = [...new Set([...supported, ...(supported.includes('GET') ? ['HEAD'] : [])])].sort().join(', ');
    for (const method of methods.filter(one => !supported.includes(one))) {
      const answer = await stub.call(method, filled(path), { key: null });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
      expect(commonHeaders(answer)).toEqual(['no-store', 'nosniff']);
      expect((await problemIn(answer)).code).toBe('method-not-allowed');
    }
  });

  it.each(allRoutes.map(route => [route.id, route] as const))(
    'answers %s with no-store and nosniff, with and without a key',
    async (_, route) => {
      const { method, example, stream, access } = route;
      const body = example.body === undefined ? {} : { body: example.body };
      const isEndless = stream !== undefined && route.path === '/v1/events';
      for (const key of isEndless ? [null] : [null, 'admin', 'unknown']) {
        const answer = await stub.call(method, requestOf(route), { key, ...body });
        const caching = cacheable.includes(route.id) ? 'public, max-age=3600' : 'no-store';
        expect(commonHeaders(answer)).toEqual([caching, 'nosniff']);
        if (access !== 'public' && key !== 'admin') expect((await problemIn(answer)).status).toBe(401);
        else await answer.body?.cancel();
      }
    },
  );
});
