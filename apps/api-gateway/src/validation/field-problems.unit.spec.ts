import { allRoutes } from '../routes/index.js';
import { operationRoutes } from '../routes/operation.routes.js';
import type { Route } from '../routes/route.js';
import { RouteValidator } from './route-validator.js';

function routeNamed(id: string): Route {
  const route = allRoutes.find(candidate => candidate.id === id);
  if (!route) throw new Error(`there is no route ${id}`);
  return route;
}

const [list, get, diff, listNodes] = [
  routeNamed('listClusters'),
  routeNamed('getCluster'),
  routeNamed('diffCluster'),
  routeNamed('listNodes'),
];

describe('problems of a query', () => {
  const validator = new RouteValidator();
  const problems = (route: Route, query: object) => {
    try {
      validator.check(route, route.path.includes(':id') ? { id: 'web' } : {}, { ...query }, undefined);
    } catch (error) {
      return (error as { readonly error: { readonly errors: readonly { pointer: string; detail: string }[] } }).error
        .errors;
    }
    return [];
  };

  it.each<[Route, object, string, string]>([
    [
      list,
      { status: 'BOGUS' },
      '?status',
      'must be any of CREATING, ACTIVE, UPDATING, PAUSED, DEGRADED, FAILED, DELETING',
    ],
    [listNodes, { status: 'ACTIVE,active' }, '?status', 'DRAINING, REBOOTING'],
    [operationRoutes.list, { status: 'ACTIVE' }, '?status', 'PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED'],
    [list, { health: 'x' }, '?health', 'must be any of HEALTHY, UNHEALTHY, UNKNOWN'],
    [list, { sort: 'secret' }, '?sort', 'must be at most 4 of createdAt, updatedAt, name, status'],
    [list, { at: '1' }, '?at', 'must be an ISO 8601 time with its zone, or a date'],
    [get, { at: 'yesterday' }, '?at', 'must be a revision (its last state), or an ISO 8601 time'],
    [get, { fields: ',' }, '?fields', 'must be names of fields with commas between them'],
    [diff, { from: 'x', to: '1' }, '?from', 'must be a revision, or an ISO 8601 time with its zone, or a date'],
    [diff, { from: '1', to: 'x' }, '?to', 'must be a revision, or an ISO 8601 time with its zone, or a date'],
    [operationRoutes.get, { wait: 'long' }, '?wait', 'must be a duration such as 500ms, 10s or 1m'],
  ])('%# is a sentence', (route, query, pointer, detail) => {
    const [problem] = problems(route, query);
    expect(problem).toMatchObject({ pointer, detail: expect.stringContaining(detail) as string });
    expect(problem?.detail).not.toMatch(/[\^\\$]/);
  });

  it('takes known statuses', () => {
    expect(problems(list, { status: 'ACTIVE,FAILED', health: 'HEALTHY' })).toEqual([]);
  });
});
