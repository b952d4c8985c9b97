import { DEADLINE_PATTERN } from '../deadline.js';
import { alike, closed, listOf, named, nullable, oneOf, removable, type JsonSchema } from './json-schema.js';

export const text = (maxLength: number, minLength = 0): JsonSchema => ({ type: 'string', minLength, maxLength });
/** Text of one line: without control characters, such as line breaks, and without invisible ones, such as direction marks. */
export const line = (maxLength: number, minLength = 0): JsonSchema => ({
  ...text(maxLength, minLength),
  format: 'line',
});
export const whole = (minimum: number, maximum: number): JsonSchema => ({ type: 'integer', minimum, maximum });

const namePattern = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$';
export const name: JsonSchema = { type: 'string', pattern: namePattern };
/** An id or a name; ids match the same pattern. */
export const reference: JsonSchema = { type: 'string', pattern: namePattern };
/** A name that a driver, a region or an engine has chosen. */
export const shortText: JsonSchema = { ...line(63, 1), pattern: '\\S' };
export const description = text(1024);
export const conductorGroup = line(255);
export const driverName: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$' };
export const count = whole(0, 10_000);
/** A change of a count, or of the desired number of a set. */
export const countChange: JsonSchema = {
  type: ['integer', 'string'],
  minimum: -10_000,
  maximum: 10_000,
  pattern: '^[+-]?[0-9]{1,6}%$',
  description:
    'a whole number from -10000 to 10000 that is added, or a share of the present number with its sign and a percent sign, such as "+50%" or "-25%"',
};
export const image = line(512, 1);
export const gigabytes = whole(1, 1_048_576);
export const port = whole(1, 65_535);
export const options: JsonSchema = { type: 'object', description: 'options of the driver' };
/** A time, or a duration from now. */
export const deadline: JsonSchema = { type: 'string', pattern: DEADLINE_PATTERN, format: 'existing-day' };
export const dateTime: JsonSchema = { type: 'string', format: 'date-time' };
export const anyString: JsonSchema = { type: 'string' };
export const anyNumber: JsonSchema = { type: 'number' };
export const anyInteger: JsonSchema = { type: 'integer' };
export const anyBoolean: JsonSchema = { type: 'boolean' };
export const anyObject: JsonSchema = { type: 'object' };
export const texts = <const K extends string>(...members: readonly K[]) => alike(anyString, ...members);
export const integers = <const K extends string>(...members: readonly K[]) => alike(anyInteger, ...members);

const labelKey = '^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,125}[A-Za-z0-9])?$';
export const labels = named('Labels', {
  type: 'object',
  maxProperties: 64,
  propertyNames: { pattern: labelKey },
  additionalProperties: line(255),
});
/** The labels that the machine of a node must have. */
export const machineSelector: JsonSchema = {
  ...labels,
  description: 'each node is made of a registered machine with these labels; {}: any',
};
/** Labels in a merge patch: null removes a label. */
export const labelChanges: JsonSchema = {
  type: 'object',
  maxProperties: 128,
  propertyNames: { pattern: labelKey },
  additionalProperties: nullable(line(255)),
};

const flavorMembers = {
  name: shortText,
  cpus: { type: 'number', exclusiveMinimum: 0, maximum: 4096 },
  memoryMb: whole(64, 67_108_864),
  diskGb: gigabytes,
};
export const flavor = named('Flavor', closed(flavorMembers, ['cpus', 'memoryMb']));
const flavorSizes = ['cpus', 'memoryMb', 'diskGb'] as const;

/** A flavor in a request or a template: with its sizes, or by its name alone. */
export const wantedFlavor = named('WantedFlavor', {
  ...closed(flavorMembers),
  description: 'cpus and memoryMb, or name alone where the driver knows flavors by name (namedFlavors of its manifest)',
  if: { required: ['name'], not: { anyOf: flavorSizes.map(size => ({ required: [size] })) } },
  else: { required: ['cpus', 'memoryMb'] },
});
/** A flavor in a merge patch: members that are absent keep their value. */
export const flavorChanges = named(
  'FlavorChanges',
  closed({ ...flavorMembers, name: nullable(flavorMembers.name), diskGb: nullable(gigabytes) }),
);
export const mountPath: JsonSchema = { type: 'string', pattern: '^/', maxLength: 1024 };
export const nodeVolumes = named(
  'NodeVolumes',
  listOf(closed({ name, sizeGb: gigabytes, type: shortText, mountPath }, ['name', 'sizeGb', 'mountPath']), {
    maxItems: 16,
  }),
);
export const taintEffect = oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute');
export const role = oneOf('manager', 'worker');
export const zones = named(
  'Zones',
  listOf(
    {
      type: ['string', 'object'],
      minLength: 1,
      maxLength: 63,
      format: 'line',
      pattern: '\\S',
      properties: { name: shortText, region: shortText },
      required: ['name'],
      additionalProperties: false,
    },
    { maxItems: 100 },
  ),
);
export const taints = named(
  'Taints',
  listOf(
    closed({ key: { type: 'string', pattern: labelKey }, value: line(255), effect: taintEffect }, ['key', 'effect']),
    { maxItems: 64 },
  ),
);
const nodeShare: JsonSchema = {
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 10_000,
  pattern: '^(?:100|[0-9]{1,2})%$',
  description: 'a number of nodes, or a share of the count such as "25%"',
};
/** A number of members of a set, or a share of the desired number. */
export const updateShare: JsonSchema = {
  ...nodeShare,
  description: 'a number of members, or a share of the desired number such as "25%"',
};
const strategyMembers = { maxSurge: nodeShare, maxUnavailable: nodeShare };
export const updateStrategy = named('UpdateStrategy', closed(strategyMembers));
export const updateStrategyChanges = named('UpdateStrategyChanges', closed(removable(strategyMembers)));
