import { quotaDimensions } from '@stave/domain';
import { alike, closed, exact, named, nullable } from './json-schema.js';
import * as p from './primitives.js';

/** The limits of a project; a dimension that is absent or null is open. */
export const projectQuotas = named(
  'ProjectQuotasPut',
  closed({ limits: closed(alike(nullable(p.whole(0, Number.MAX_SAFE_INTEGER)), ...quotaDimensions)) }, ['limits']),
);

const amounts = exact({}, alike({ type: 'number', minimum: 0 }, ...quotaDimensions));

/** What a service asks before it appends an event after which a resource takes more; `id` is the project. */
export const quotaDemand = closed(
  {
    id: p.text(1100, 1),
    reservation: p.text(1100, 1),
    stream: p.text(1100, 1),
    after: p.whole(-1, Number.MAX_SAFE_INTEGER),
    amounts,
  },
  ['id', 'reservation', 'stream', 'after', 'amounts'],
);
