import { closed, exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { route, type Route } from './route.js';

const refusal = exact({ ...p.texts('code', 'sentence'), count: p.anyInteger, nodes: listOf(p.anyString) });
const growthCodes = ['DISABLED', 'AT_MAX', 'WOULD_NOT_FIT', 'BACKOFF', 'PAUSED', 'UPCOMING', 'QUOTA'];
const growth = exact({ nodeGroup: p.anyString, code: oneOf(...growthCodes), sentence: p.anyString });
const action = exact({ method: oneOf('POST', 'PATCH', 'PUT', 'DELETE'), path: p.anyString }, { body: p.anyObject });

/** Changes after which a simulation has placed the container. */
const remedy = exact(
  {
    actions: listOf(action),
    codes: listOf(p.anyString),
    cost: p.anyNumber,
    verified: { const: true },
    places: p.anyInteger,
    sentence: p.anyString,
  },
  p.texts('nodeId'),
);

export const explanation = named(
  'Explanation',
  exact({
    status: nullable(p.anyString),
    at: p.dateTime,
    position: nullable(p.anyInteger),
    nodes: exact(p.integers('total', 'passing')),
    refusals: listOf(refusal),
    growth: listOf(growth),
    remedies: listOf(remedy),
    search: exact({ candidates: p.anyInteger, complete: p.anyBoolean }),
  }),
);

const explainRoute = (one: string, path: string, summary: string, of?: string): Route =>
  route(`explain${one}`, 'GET', `${path}/:id/explain`, {
    summary,
    description:
      'Each node counts at the first filter that refuses it. Each remedy is a list of requests after which the placement itself has found a ' +
      'node on the present snapshot; `search.complete` says that nothing cheaper exists. `node`: all that refuses one node.',
    query: closed({ node: p.reference }),
    answers: { 200: explanation },
    dispatch: { resource: 'container', verb: 'explain', target: { id: 'id' }, ...(of ? { fixed: { of } } : {}) },
  });

export const explainRoutes = [
  explainRoute('Container', '/v1/containers', 'Explain why a container waits'),
  explainRoute('ContainerSet', '/v1/container-sets', 'Explain why a member of a container set waits', 'containerSet'),
  explainRoute('NodeGroup', '/v1/node-groups', 'Explain why a node group does not grow or shrink', 'nodeGroup'),
];
