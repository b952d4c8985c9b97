import { named, primitives as p } from '@stave/contracts/schemas';
import { positionQuery } from '../schemas/query.schemas.js';
import { mapOf } from '../schemas/resource.schema.js';
import { route } from './route.js';

export const summaryRoute = route('getSummary', 'GET', '/v1/summary', {
  summary: 'Count resources by type and status',
  description:
    'Counts what the requester may see and what lives. `operations` counts those that run. The cost follows what has changed since the last request, not the number of resources.',
  query: positionQuery,
  answers: {
    200: named('Summary', {
      ...mapOf(mapOf(p.anyInteger)),
      description: 'by type, such as `nodeGroups`, and status; a status that nothing has is absent',
    }),
  },
});
