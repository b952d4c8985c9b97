import { listOf, named, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

/** RFC 9457, with `code`, `correlationId` and every problem found. */
export const problem = named(
  'Problem',
  open(
    {
      type: p.anyString,
      title: p.anyString,
      status: p.anyInteger,
      detail: p.anyString,
      instance: p.anyString,
      code: p.anyString,
      correlationId: p.anyString,
      errors: listOf(open({ pointer: p.anyString, code: p.anyString, detail: p.anyString }, ['pointer', 'code'])),
    },
    ['type', 'title', 'status', 'code', 'correlationId'],
  ),
);
