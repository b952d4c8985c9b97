import { Ajv, type ValidateFunction } from 'ajv';
import type { Driver, DriverManifest, DriverOperation } from '../driver.js';
import { problemsOf, type OptionProblem } from './option-validation.js';

type Part = 'parameters' | 'request' | 'answer';

const absent: Readonly<Record<Part, object | boolean>> = {
  parameters: { type: 'object', additionalProperties: false },
  request: true,
  answer: true,
};

const compiled = new WeakMap<DriverOperation, Map<Part, ValidateFunction>>();

/** Compiles a schema of an operation, once per operation object. Throws on an invalid schema. */
export function compileOperation(operation: DriverOperation, part: Part): ValidateFunction {
  const known = compiled.get(operation) ?? new Map<Part, ValidateFunction>();
  compiled.set(operation, known);
  const found = known.get(part);
  if (found) return found;
  const ajv = new Ajv({ allErrors: part !== 'answer', strict: true, allowUnionTypes: true, strictRequired: false });
  const validate = ajv.compile(operation[part] ?? absent[part]);
  known.set(part, validate);
  return validate;
}

/** Returns what is wrong with a part of a call of an operation, with pointers into that part; an empty list means valid. */
export function operationPartProblems(operation: DriverOperation, part: Part, value: unknown): OptionProblem[] {
  const validate = compileOperation(operation, part);
  return validate(value) ? [] : problemsOf(validate.errors);
}

const flat = ['string', 'number', 'integer', 'boolean'];

/** Returns whether a parameter can be written as one text in a URL. */
export function isFlat(schema: unknown): boolean {
  const type = typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : undefined;
  return typeof type === 'string' && flat.includes(type);
}

/**
 * Converts the texts of a URL to the types that the schema of the parameters states; a text that is not of its type stays as it is, so that
 * the validation names it.
 */
export function typedParameters(
  operation: DriverOperation,
  texts: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties: Readonly<Record<string, unknown>> = { ...(operation.parameters?.['properties'] ?? {}) };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      Object.hasOwn(properties, name) ? typed(properties[name], text) : text,
    ]),
  );
}

function typed(schema: unknown, text: unknown): unknown {
  const type = typeof schema === 'object' && schema !== null && 'type' in schema ? schema.type : undefined;
  if (typeof text !== 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  const isNumber = (type === 'number' || type === 'integer') && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}

/** Returns the names of the operations that the manifest declares and the driver does not have. */
export function missingOperations(manifest: Pick<DriverManifest, 'operations'>, { api = {} }: Driver): string[] {
  return (manifest.operations ?? []).map(({ name }) => name).filter(name => !Object.hasOwn(api, name));
}
