import { closed, listOf, oneOf, type JsonSchema } from './json-schema.js';
import * as p from './primitives.js';

const mode = oneOf('hard', 'soft');

/** Units over which containers are spread or kept apart. */
const unit: JsonSchema = {
  type: 'string',
  pattern: '^(?:node|zone|region|label:[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,125}[A-Za-z0-9])?)$',
  description: 'node, zone, region, or a label such as label:rack',
};

const affinityWith: JsonSchema = {
  ...closed({ set: p.reference, labels: p.labels }),
  minProperties: 1,
  maxProperties: 1,
};

const affinityRule = closed(
  {
    kind: oneOf('together', 'apart'),
    by: unit,
    with: affinityWith,
    mode,
    weight: p.whole(1, 100),
    maxPer: p.whole(1, 10_000),
  },
  ['kind', 'by'],
);

/** Rules of spread, of policies and of containers. */
export const spreadRules = listOf(closed({ by: unit, mode, maxSkew: p.whole(1, 100) }, ['by', 'mode']), {
  maxItems: 16,
});

/** Returns a list of at least so many rules of affinity. */
export const affinityRules = (minItems: number): JsonSchema => listOf(affinityRule, { minItems, maxItems: 64 });
