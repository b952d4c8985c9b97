import { capabilities } from '../capabilities.js';

/**
 * The keyword of option schemas that states how a change of the option reaches existing nodes: `roll` replaces them one by one,
 * `inPlace` (default) keeps them. It does not affect validation.
 */
export const changeKeyword = 'x-stave-change';

const positive = { type: 'number', exclusiveMinimum: 0 } as const;
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** The JSON Schema of `driver.manifest.json`. Names contain no colon: the last colon of a ring key separates group and driver. */
export const manifestSchema = {
  $id: 'stave:driver-manifest',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'version', 'sdk', 'engine', 'os', 'serverType', 'capabilities', 'options'],
  properties: {
    $schema: text,
    name: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,62}$' },
    version: text,
    sdk: text,
    compatibleFrom: text,
    engine: text,
    os: text,
    serverType: text,
    capabilities: { type: 'array', uniqueItems: true, items: { enum: [...capabilities] } },
    requiresManager: { type: 'boolean' },
    defaults: { type: 'object', additionalProperties: false, properties: { image: text } },
    minimumFlavor: {
      type: 'object',
      additionalProperties: false,
      properties: { cpus: positive, memoryMb: positive, diskGb: positive },
    },
    options: {
      type: 'object',
      required: ['type', 'additionalProperties'],
      properties: { type: { const: 'object' }, additionalProperties: { const: false } },
    },
  },
} as const;
