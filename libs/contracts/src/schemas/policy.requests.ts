import { policyTypes, POLICY_VERSION, scorerNames, type PolicyType } from '@stave/domain';
import {
  alike,
  closed,
  immutables,
  listOf,
  named,
  oneOf,
  removable,
  type JsonSchema,
  type Properties,
} from './json-schema.js';
import { affinityRules, spreadRules } from './placement-rules.js';
import * as p from './primitives.js';

const number = (minimum: number, maximum: number): JsonSchema => ({ type: 'number', minimum, maximum });
const seconds = (maximum: number, minimum = 0): JsonSchema => p.whole(minimum, maximum);
const weight = p.whole(0, 1000);
const use = number(0.01, 1);
const share: JsonSchema = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: 10_000,
  pattern: '^(?:100|[1-9][0-9]?)%$',
  description: 'a number of members, or a share such as "25%"',
};

const placement: Properties = {
  nodes: listOf(closed({ node: p.reference, weight }, ['node']), { maxItems: 1000 }),
  zones: listOf(closed({ name: p.shortText, region: p.shortText, weight }, ['name']), { maxItems: 100 }),
  regions: listOf(closed({ name: p.shortText, weight }, ['name']), { maxItems: 100 }),
  strict: p.anyBoolean,
  scorers: closed(alike(number(0, 100), ...scorerNames)),
  maxCpuUse: use,
  maxMemoryUse: use,
  windowSeconds: seconds(3600, 1),
  whenUnknown: oneOf('allow', 'refuse'),
  spread: spreadRules,
};

const adjustment = closed(
  {
    type: oneOf('change', 'exact', 'percentage'),
    number: p.whole(0, 10_000),
    minStep: p.whole(1, 10_000),
    bestEffort: p.anyBoolean,
  },
  ['type', 'number'],
);

const hook = closed(
  {
    timeoutSeconds: seconds(86_400, 1),
    onTimeout: oneOf('proceed', 'abort'),
    url: { type: 'string', pattern: '^https?://[^\\s/?#@]+(?:[/?#]\\S*)?$', maxLength: 2048 },
  },
  ['timeoutSeconds'],
);

const action = closed({ do: oneOf('restart', 'recreate', 'replace', 'reboot', 'rebuild'), attempts: p.whole(1, 10) }, [
  'do',
]);

const members: Readonly<Record<PolicyType, Properties>> = {
  placement,
  affinity: { rules: affinityRules(1) },
  scaling: { direction: oneOf('out', 'in'), adjustment, cooldownSeconds: seconds(86_400) },
  deletion: {
    criteria: oneOf('youngest', 'oldest', 'random', 'oldestRevision'),
    byZone: p.anyBoolean,
    graceSeconds: seconds(3600),
    hook,
  },
  health: {
    detect: listOf(oneOf('status', 'healthCheck', 'node'), { minItems: 1, maxItems: 3, uniqueItems: true }),
    unhealthyAfterSeconds: seconds(3600),
    actions: listOf(action, { minItems: 1, maxItems: 16 }),
    maxUnhealthy: share,
  },
  batch: { maxBatch: share, pauseSeconds: seconds(3600), stopOnFailure: p.anyBoolean },
};

const componentName = (type: PolicyType): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}Properties`;

const perType = <V>(of: (type: PolicyType) => V): Readonly<Record<PolicyType, V>> =>
  Object.fromEntries(policyTypes.map(type => [type, of(type)])) as Readonly<Record<PolicyType, V>>;

/** The properties of each type of policy. */
export const policyProperties = perType(type => named(componentName(type), closed(members[type])));

/** The members of a patch. Those of an object are merged as well: null removes each that the object can lack. */
const changes = (properties: Properties): Properties =>
  removable(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? changesWithin(schema) : schema]),
    ),
  );

interface ObjectSchema extends JsonSchema {
  readonly properties: Properties;
  readonly required?: readonly string[];
}

const isObject = (schema: JsonSchema): schema is ObjectSchema => 'properties' in schema;

const changesWithin = ({ properties, required = [] }: ObjectSchema): JsonSchema => {
  const always = Object.fromEntries(required.map(name => [name, properties[name] ?? {}]));
  return closed({ ...removable(properties), ...always }, required);
};

/** The body of a patch of a policy of each type: the type of a policy is not part of the request. */
export const policyPatches = perType(type =>
  closed({
    properties: closed(changes(members[type])),
    ...immutables('id', 'name', 'type', 'version', 'projectId', 'createdAt'),
  }),
);

const create = named('PolicyCreate', {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: policyTypes.map(type =>
    closed(
      { name: p.name, type: { const: type }, version: oneOf(POLICY_VERSION), properties: policyProperties[type] },
      ['type', 'properties'],
    ),
  ),
});

const patch = named(
  'PolicyPatch',
  closed({
    properties: { type: 'object', description: 'a merge patch of the properties; null removes one' },
    ...immutables('id', 'name', 'type', 'version', 'projectId', 'createdAt'),
  }),
);

/** How a policy is attached to a target. */
export const policyAttachment = named(
  'PolicyAttachment',
  closed({ enabled: p.anyBoolean, priority: p.whole(0, 1000) }),
);

export const policyRequests = { create, patch, delete: closed({ detach: p.anyBoolean }) };
