import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DriverManifest, Options } from '../driver.js';

/**
 * The keyword of option schemas that states how a change of the option reaches existing nodes: `roll` replaces them a few at a time,
 * `inPlace` (default) updates them. It belongs to a whole option and does not affect validation.
 */
export const changeKeyword = 'x-stave-change';

/** The keyword of option schemas that states who has the option: `cluster` is for clusters only; absent: node groups have it, too. */
export const scopeKeyword = 'x-stave-scope';

/** A violation of an option schema. `pointer` is a JSON pointer into the options; `code` is the schema's keyword, or `unknown`. */
export interface OptionProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Validates options of a cluster or node group against the option schema of a manifest; an empty list means valid. Throws when the
 * schema itself is invalid, which `loadManifest` excludes.
 */
export function validateOptions(manifest: Pick<DriverManifest, 'options'>, options: Options): OptionProblem[] {
  const validate = compileOptions(manifest.options);
  return validate(options) ? [] : problemsOf(validate.errors);
}

/** Compiles an option schema, once per schema object. Throws on an invalid schema. */
export function compileOptions(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false });
  ajv.addKeyword({ keyword: changeKeyword, schemaType: 'string', metaSchema: { enum: ['roll', 'inPlace'] } });
  ajv.addKeyword({ keyword: scopeKeyword, schemaType: 'string', metaSchema: { enum: ['cluster'] } });
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Converts Ajv's errors into problems whose pointer names the member itself, even when it is missing or unknown. */
export function problemsOf(errors: readonly ErrorObject[] | null | undefined): OptionProblem[] {
  return (errors ?? []).map(error => ({
    pointer: error.instancePath + memberOf(error),
    code: error.keyword === 'additionalProperties' ? 'unknown' : error.keyword,
    detail: error.message ?? error.keyword,
  }));
}

function memberOf(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  const member = params['additionalProperty'] ?? params['missingProperty'];
  return typeof member === 'string' ? `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
}
