import { closed, primitives as p } from '@stave/contracts/schemas';
import { explanation } from '../schemas/explanation.schema.js';
import { route, type Route } from './route.js';

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
