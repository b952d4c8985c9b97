import { quotaDimensions } from '@stave/domain';
import { alike, closed, named, nullable } from './json-schema.js';
import * as p from './primitives.js';

/** The limits of a project; a dimension that is absent or null is open. */
export const projectQuotas = named(
  'ProjectQuotasPut',
  closed({ limits: closed(alike(nullable(p.whole(0, Number.MAX_SAFE_INTEGER)), ...quotaDimensions)) }, ['limits']),
);
