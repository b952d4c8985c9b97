import { exact, listOf, named, oneOf, primitives as p, type JsonSchema } from '@stave/contracts/schemas';

const subject = exact({ type: p.anyString }, { id: p.anyString, name: p.anyString });

const event = exact({ type: p.anyString, stream: p.anyString, data: p.anyObject });
const change = exact(
  {
    pointer: {
      type: 'string',
      description:
        'a JSON pointer into the resource as the API shows it; `from` or `to` is absent where there is no value',
    },
  },
  { from: {}, to: {}, resource: subject },
);
const step = exact(
  { action: oneOf('create', 'keep', 'change', 'replace', 'remove'), resource: subject },
  {
    reason: p.anyString,
    by: { type: 'string', description: 'the name of the replacement' },
    failed: { type: 'boolean', description: 'the resource had failed before' },
  },
);

/** The response to any change with `?dryRun=true`. */
export const plan = named(
  'Plan',
  exact(
    {
      planToken: {
        type: 'string',
        description: 'sent as ?planToken= with the same request, which is then executed as planned or refused',
      },
      events: listOf(event),
      diff: listOf(change),
      steps: listOf(step),
    },
    {
      unsettled: { type: 'string', description: 'the reason why the change cannot be bound to the plan' },
      origins: { description: 'the sources of the attributes of what is created' },
    },
  ),
);

/** The response to a change: the resource, or the plan of a dry run. */
export const planOr = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, plan] });

const dryRun: JsonSchema = { type: 'boolean', description: 'answers with the plan and changes nothing' };
const planToken: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.-]{1,128}$',
  description: 'the `planToken` of a plan: the request is executed only as planned',
};

/** Adds the parameters of plans to the query of a change. */
export function withPlanQuery(query: JsonSchema): JsonSchema {
  const properties = query['properties'];
  const known = typeof properties === 'object' && properties !== null ? properties : {};
  return { ...query, properties: { ...known, dryRun, planToken } };
}
