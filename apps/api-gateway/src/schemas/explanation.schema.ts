import { exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';

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
