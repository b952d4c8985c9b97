import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DriverManifest, Options } from '../driver.js';
import { changeKeyword } from './manifest.schema.js';

/** One thing that is wrong with options. `pointer` is a JSON pointer into them, `code` the schema's keyword or `unknown`. */
export interface OptionProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Checks options of a cluster or node group against a manifest's option schema; an empty list means valid. Needs the manifest
 * alone, not the driver. Throws when the option schema itself is invalid (a loaded manifest's never is).
 */
export function validateOptions(manifest: Pick<DriverManifest, 'options'>, options: Options): OptionProblem[] {
  const validate = compileOptions(manifest.options);
  return validate(options) ? [] : problemsOf(validate.errors);
}

/** Compiles an option schema once per schema object. Throws on an invalid schema. */
export function compileOptions(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false });
  ajv.addKeyword({ keyword: changeKeyword, schemaType: 'string', metaSchema: { enum: ['roll', 'inPlace'] } });
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Turns ajv's errors into problems whose pointer names the member itself, also where it is missing or unknown. */
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
