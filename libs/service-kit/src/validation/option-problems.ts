import { getOrCreate, type DriverManifest, type Problem } from '@stave/domain';
import { Ajv, type ValidateFunction } from 'ajv';

const compiled = new WeakMap<object, ValidateFunction>();

/** Returns where options break the JSON schema of the driver's manifest, with pointers under `base`. */
export function optionProblems(
  manifest: DriverManifest,
  options: Readonly<Record<string, unknown>>,
  base: string,
): readonly Problem[] {
  const schema = manifest['options'];
  if (typeof schema !== 'object' || schema === null) return [];
  const validate = getOrCreate(compiled, schema, () => new Ajv({ allErrors: true, strict: false }).compile(schema));
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
