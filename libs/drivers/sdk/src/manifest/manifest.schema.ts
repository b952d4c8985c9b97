import { capabilities } from '../capabilities.js';

/**
 * Keyword of option schemas: what changing an option does to nodes that exist, `roll` (replaced one by one) or `inPlace`
 * (default). An annotation; it never makes options valid or invalid.
 */
export const changeKeyword = 'x-stave-change';

const least = { type: 'number', exclusiveMinimum: 0 } as const;
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** JSON Schema of `driver.manifest.json`. A name has no colon, because the last colon of a ring key splits group and driver. */
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
      properties: { cpus: least, memoryMb: least, diskGb: least },
    },
    options: {
      type: 'object',
      required: ['type', 'additionalProperties'],
      properties: { type: { const: 'object' }, additionalProperties: { const: false } },
    },
  },
} as const;
