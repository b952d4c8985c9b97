import type { DriverManifest, Problem } from '@stave/domain';
import { Ajv, type ValidateFunction } from 'ajv';

const compiled = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Returns where options break the JSON schema of the driver's manifest, with pointers under `base`. */
export function optionProblems(
  manifest: DriverManifest,
  options: Readonly<Record<string, unknown>>,
  base: string,
): readonly Problem[] {
  const schema = manifest['options'];
  if (typeof schema !== 'object' || schema === null) return [];
  const validate = validatorOf(schema);
  if (validate(options)) return [];
  return (validate.errors ?? []).map(e => {
    const extra: unknown = e.params['additionalProperty'];
    const pointer = `${base}${e.instancePath}${typeof extra === 'string' ? `/${extra}` : ''}`;
    return {
      pointer,
      code: e.keyword === 'additionalProperties' ? 'unknown-option' : 'invalid-option',
      detail: e.message ?? 'not valid',
    };
  });
}
