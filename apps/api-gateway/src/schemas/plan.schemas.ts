import { listOf, named, open, type JsonSchema } from './json-schema.js';
import * as p from './primitive.schemas.js';

const whose = open({ type: p.anyString, id: p.anyString, name: p.anyString }, ['type']);

const event = open({ type: p.anyString, stream: p.anyString, data: p.anyObject }, ['type', 'stream', 'data']);
const change = open(
  {
    pointer: {
      type: 'string',
      description: 'JSON pointer into the resource as it is shown; from or to is absent where there is none',
    },
    from: {},
    to: {},
    resource: whose,
  },
  ['pointer'],
);
const step = open(
  {
    action: { type: 'string', enum: ['create', 'keep', 'change', 'replace', 'remove'] },
    resource: whose,
    reason: p.anyString,
    by: { type: 'string', description: 'of a replacement: the name of what takes its place' },
    failed: { type: 'boolean', description: 'it had failed before' },
  },
  ['action', 'resource'],
);

/** The answer to any change with `?dryRun=true`. */
export const plan = named(
  'Plan',
  open(
    {
      planToken: {
        type: 'string',
        description: 'sent as ?planToken= with the same request, which is then done as planned or refused',
      },
      events: listOf(event),
      diff: listOf(change),
      steps: listOf(step),
      unsettled: { type: 'string', description: 'why the change cannot be bound to it' },
      origins: {},
    },
    ['planToken', 'events', 'diff', 'steps'],
  ),
);

/** What a change answers: what it did, or what it would do. */
export const planOr = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, plan] });

const dryRun: JsonSchema = { type: 'boolean', description: 'answer with the plan, change nothing' };
const planToken: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.-]{1,128}$',
  description: 'the `planToken` of a plan: do it only as it was planned',
};

/** The query of a change, and what asks for its plan or for what was planned. */
export function withPlanQuery(query: JsonSchema): JsonSchema {
  const properties = query['properties'];
  const known = typeof properties === 'object' && properties !== null ? properties : {};
  return { ...query, properties: { ...known, dryRun, planToken } };
}
