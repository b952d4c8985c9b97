import { exact, nullable, type JsonSchema } from './json-schema.js';
import * as p from './primitives.js';
import { keyRole } from './resource-requests.js';

const actor = exact({ keyId: p.text(512, 1), role: keyRole, project: nullable(p.text(255, 1)) });

/** The schema of `RequestMeta`. */
export const requestMeta: JsonSchema = exact(
  { correlationId: p.text(255, 1), actor },
  {
    request: p.text(65_536, 1),
    idempotencyKey: p.text(255, 1),
    ifMatch: p.whole(0, Number.MAX_SAFE_INTEGER),
    dryRun: p.anyBoolean,
    planToken: p.text(65_536),
    minPosition: p.whole(-1, Number.MAX_SAFE_INTEGER),
  },
);
