import { anyParams, route, type Method, type Route } from './route.js';

const withBody: readonly Method[] = ['POST', 'PUT', 'PATCH'];
const anyQuery = { type: 'object', additionalProperties: true } as const;
/** Drivers may answer dry runs of an operation themselves; the conductor answers those of others. */
const anyChange = { ...anyQuery, properties: { dryRun: { type: 'boolean' } } } as const;
const anyBody = { type: 'object' } as const;
const own = '/v1/clusters/:id/driver/:word';

function operationRoute(method: Method, path: string): Route {
  const name = `${method.toLowerCase()}DriverOperation${path === own ? '' : 'Below'}`;
  return route(name, method, path, {
    summary: 'Call an operation of the driver of a cluster',
    access: 'reader',
    plannable: false,
    params: anyParams(path),
    query: method === 'GET' ? anyQuery : anyChange,
    ...(withBody.includes(method) ? { body: anyBody, bodyOptional: true } : {}),
    answers: { 200: {} },
    stream: 'application/x-ndjson',
  });
}

/**
 * What drivers offer below `/v1/clusters/{id}/driver`: paths, parameters, bodies and roles are known by their manifests only, so these routes
 * are not part of the document of the API. Each version of a driver has a document of its own.
 */
export const driverOperationRoutes: readonly Route[] = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap(
  method => [operationRoute(method, own), operationRoute(method, `${own}/:rest`)],
);
