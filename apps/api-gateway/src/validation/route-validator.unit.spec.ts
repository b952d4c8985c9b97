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

describe('the validator of a route', () => {
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

  it.each<[pointer: string, detail: string, Route, object]>([
    [
      '?status',
      'must be any of CREATING, ACTIVE, UPDATING, PAUSED, DEGRADED, FAILED, DELETING',
      list,
      { status: 'BOGUS' },
    ],
    ['?status', 'DRAINING, REBOOTING', listNodes, { status: 'ACTIVE,active' }],
    ['?status', 'PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED', operationRoutes.list, { status: 'ACTIVE' }],
    ['?health', 'must be any of HEALTHY, UNHEALTHY, UNKNOWN', list, { health: 'x' }],
    ['?sort', 'must be at most 4 of createdAt, updatedAt, name, status', list, { sort: 'secret' }],
    ['?at', 'must be an ISO 8601 time with its zone, or a date', list, { at: '1' }],
    ['?at', 'must be a revision (its last state), or an ISO 8601 time', get, { at: 'yesterday' }],
    ['?fields', 'must be names of fields with commas between them', get, { fields: ',' }],
    ['?from', 'must be a revision, or an ISO 8601 time with its zone, or a date', diff, { from: 'x', to: '1' }],
    ['?to', 'must be a revision, or an ISO 8601 time with its zone, or a date', diff, { from: '1', to: 'x' }],
    ['?wait', 'must be a duration such as 500ms, 10s or 1m', operationRoutes.get, { wait: 'long' }],
  ])('explains in a sentence that %s %s', (pointer, detail, route, query) => {
    const [problem] = problems(route, query);
    expect(problem).toMatchObject({ pointer, detail: expect.stringContaining(detail) as string });
    expect(problem?.detail).not.toMatch(/[\^\\$]/);
  });

  it('accepts known statuses', () => {
    expect(problems(list, { status: 'ACTIVE,FAILED', health: 'HEALTHY' })).toEqual([]);
  });
});
