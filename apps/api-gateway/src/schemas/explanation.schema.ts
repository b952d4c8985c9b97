import { exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import type { ScalingBlockCode } from '@stave/domain';
import { unionOf } from './list-fields.js';

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

const scalingCode = unionOf<ScalingBlockCode>()(
  'DISABLED',
  'DEMAND',
  'UNKNOWN',
  'STABILISING',
  'COOLDOWN',
  'HELD',
  'CONTENDED',
  'LIMITED',
  'AT_MAX',
  'AT_MIN',
  'QUOTA',
  'RELEASE_AWAITED',
  'REMOVAL_FAILED',
);
const scaling = exact({ direction: oneOf('out', 'in'), code: scalingCode, sentence: p.anyString });

export const explanation = named(
  'Explanation',
  exact(
    {
      status: nullable(p.anyString),
      at: p.dateTime,
      position: nullable(p.anyInteger),
      nodes: exact(p.integers('total', 'passing')),
      refusals: listOf(refusal),
      growth: listOf(growth),
      remedies: listOf(remedy),
      search: exact({ candidates: p.anyInteger, complete: p.anyBoolean }),
    },
    { scaling: { ...listOf(scaling), description: 'of sets: why the number of members does not change' } },
  ),
);
