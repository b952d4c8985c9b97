import {
  alike,
  exact,
  listOf,
  named,
  nullable,
  oneOf,
  primitives as p,
  type JsonSchema,
} from '@stave/contracts/schemas';
import { explanation } from './explanation.schema.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const resource = exact({ type: p.anyString }, p.texts('id', 'name'));
const pointer = text(
  'a JSON pointer into the resource as the API shows it; `from` or `to` is absent where there is no value',
);

/** The response to any change with `?dryRun=true`. */
export const plan = named(
  'Plan',
  exact(
    {
      planToken: text('sent as ?planToken= with the same request, which is then executed as planned or refused'),
      events: listOf(exact({ ...p.texts('type', 'stream'), data: p.anyObject })),
      diff: listOf(exact({ pointer }, { from: {}, to: {}, resource })),
      steps: listOf(
        exact(
          { action: oneOf('create', 'keep', 'change', 'replace', 'remove'), resource },
          {
            reason: p.anyString,
            by: text('the name of the replacement'),
            failed: { type: 'boolean', description: 'the resource had failed before' },
          },
        ),
      ),
    },
    {
      unsettled: text('the reason why the change cannot be bound to the plan'),
      explanation,
      quotas: {
        ...listOf(exact({ name: p.anyString, ...p.integers('limit'), ...alike(p.anyNumber, 'used', 'asked') })),
        description: 'the limited quotas of the project that the request would change',
      },
      targets: { ...listOf(exact(p.texts('type', 'id'))), description: 'what the policy is attached to' },
      violations: {
        ...listOf(exact({ ...p.texts('code', 'sentence'), count: p.anyInteger, containers: listOf(p.anyString) })),
        description: 'the rules of policies that running containers would break; none of them is moved',
      },
      placements: listOf(exact({ name: p.anyString, nodeId: nullable(p.anyString) })),
      origins: { description: 'the sources of the attributes of what is created' },
    },
  ),
);

export const planOr = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, plan] });

const parameters = {
  dryRun: { type: 'boolean', description: 'answers with the plan and changes nothing' },
  planToken: {
    type: 'string',
    pattern: '^[A-Za-z0-9_.-]{1,128}$',
    description: 'the `planToken` of a plan: the request is executed only as planned',
  },
};

export const withPlanQuery = (query: JsonSchema): JsonSchema => ({
  ...query,
  properties: { ...Object(query['properties']), ...parameters },
});
