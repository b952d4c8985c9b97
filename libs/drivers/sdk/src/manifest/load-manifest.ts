import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { valid, validRange } from 'semver';
import { capabilities, driverAttributes, sharedAttributes, type DriverManifest } from '../driver.js';
import { messageOf } from './message-of.js';
import { operationProblems, operationsSchema } from './operation-problems.js';
import { changeKeyword, compileOptions, scopeKeyword, problemsOf, type OptionProblem } from './option-validation.js';

export const MANIFEST_FILE = 'driver.manifest.json';

const positive = { type: 'number', exclusiveMinimum: 0 } as const;
const scopes = {
  type: 'object',
  propertyNames: { maxLength: 255 },
  additionalProperties: { enum: ['node', 'cluster'] },
} as const;
const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** The JSON Schema of `driver.manifest.json`. Names contain no colon: the last colon of a ring key separates group and driver. */
const manifestSchema = {
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
    attributes: { type: 'array', uniqueItems: true, items: { enum: [...driverAttributes] } },
    fixedAttributes: { type: 'array', uniqueItems: true, items: { enum: [...sharedAttributes] } },
    requiresEnabling: { type: 'boolean' },
    requiresManager: { type: 'boolean' },
    startsWorkersEarly: { type: 'boolean' },
    concurrency: { type: 'integer', minimum: 1 },
    namedFlavors: { type: 'boolean' },
    machineSchemes: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[a-z][a-z0-9+.-]{0,31}$' },
    },
    mixedMachines: { type: 'boolean' },
    operations: operationsSchema,
    defaults: { type: 'object', additionalProperties: false, properties: { image: text } },
    minimumFlavor: {
      type: 'object',
      additionalProperties: false,
      properties: { cpus: positive, memoryMb: positive, diskGb: positive },
    },
    networkDrivers: scopes,
    volumeDrivers: scopes,
    otherDrivers: { enum: ['node', 'cluster'] },
    options: {
      type: 'object',
      required: ['type', 'additionalProperties'],
      properties: { type: { const: 'object' }, additionalProperties: { const: false } },
    },
  },
} as const;

const matches = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<DriverManifest>(manifestSchema);

/** Reads and validates the manifest of a driver directory. Throws an error that names all problems, also for text that is not JSON. */
export async function loadManifest(directory: string): Promise<DriverManifest> {
  const json = parseJson(await readFile(join(directory, MANIFEST_FILE), 'utf8'));
  if (!matches(json)) throw invalid(problemsOf(matches.errors));
  const problems = [
    ...versionProblems(json),
    ...attributeProblems(json),
    ...schemaProblems(json),
    ...operationProblems(json),
    ...machineProblems(json),
    ...managerProblems(json),
  ];
  if (problems.length > 0) throw invalid(problems);
  return json;
}

const invalid = (problems: readonly OptionProblem[]): Error =>
  new Error(`invalid manifest: ${problems.map(p => `${p.pointer || '/'} ${p.detail}`).join('; ')}`);

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw invalid([{ pointer: '', code: 'json', detail: messageOf(cause) }]);
  }
}

function versionProblems(manifest: DriverManifest): OptionProblem[] {
  const checks: readonly [string, string | null, string][] = [
    ['/version', valid(manifest.version), 'must be a semantic version'],
    ['/sdk', validRange(manifest.sdk), 'must be a range of semantic versions'],
    ['/compatibleFrom', valid(manifest.compatibleFrom ?? manifest.version), 'must be a semantic version'],
  ];
  return checks.filter(([, ok]) => ok === null).map(([pointer, , detail]) => ({ pointer, code: 'version', detail }));
}

/** A fixed attribute that the driver does not honour is a mistake in one of the two lists. */
function attributeProblems({ attributes = [], fixedAttributes = [] }: DriverManifest): OptionProblem[] {
  const detail = 'must be one of the attributes that the driver honours';
  return fixedAttributes.flatMap((name, i) =>
    attributes.includes(name) ? [] : [{ pointer: `/fixedAttributes/${i}`, code: 'attribute', detail }],
  );
}

/** Machines are found by the scheme of the URL of their engine: one is of no use without the other. */
function machineProblems({ capabilities: declared, machineSchemes, mixedMachines }: DriverManifest): OptionProblem[] {
  const hasMachines = declared.includes('machines');
  const lacking = 'needs the capability machines, which is missing in /capabilities';
  const missing = 'must be present, because the capabilities contain machines';
  const problem = (pointer: string, detail: string): OptionProblem => ({ pointer, code: 'capability', detail });
  return [
    ...(machineSchemes && !hasMachines ? [problem('/machineSchemes', lacking)] : []),
    ...(!machineSchemes && hasMachines ? [problem('/machineSchemes', missing)] : []),
    ...(mixedMachines !== undefined && !hasMachines ? [problem('/mixedMachines', lacking)] : []),
  ];
}

function managerProblems({ requiresManager, startsWorkersEarly }: DriverManifest): OptionProblem[] {
  const detail = 'must not be true unless requiresManager is';
  return startsWorkersEarly === true && requiresManager !== true
    ? [{ pointer: '/startsWorkersEarly', code: 'manager', detail }]
    : [];
}

/** Options are stored in events, unencrypted and permanently: none may be a secret. */
function secretOptions(schema: unknown, pointer = '/options'): OptionProblem[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isMarked = Object.entries(schema).some(
    ([keyword, value]) => (keyword === 'writeOnly' && value === true) || (keyword === 'format' && value === 'password'),
  );
  const detail =
    'is marked as a secret, but options are stored unencrypted: replace it by an option that names where the secret is';
  const own = isMarked ? [{ pointer, code: 'secret', detail }] : [];
  const inner = Object.entries(schema).flatMap(([name, value]) => secretOptions(value, `${pointer}/${name}`));
  return [...own, ...inner];
}

/** Marks state how a change of an option reaches nodes, or who has the option: of a part of an option they would be ignored. */
function misplacedMarks(schema: unknown, pointer = '/options'): OptionProblem[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const detail = 'has an effect on a whole option only, at /options/properties/{name}';
  return Object.entries(schema).flatMap(([name, value]) => {
    const place = `${pointer}/${name}`;
    const isMark = name === changeKeyword || name === scopeKeyword;
    const isMisplaced = isMark && !/^\/options\/properties\/[^/]*$/.test(pointer);
    return isMisplaced ? [{ pointer: place, code: 'misplaced', detail }] : misplacedMarks(value, place);
  });
}

function schemaProblems(manifest: DriverManifest): OptionProblem[] {
  const found = [...secretOptions(manifest.options), ...misplacedMarks(manifest.options)];
  if (found.length > 0) return found;
  try {
    compileOptions(manifest.options);
    return [];
  } catch (cause) {
    return [{ pointer: '/options', code: 'schema', detail: messageOf(cause) }];
  }
}
