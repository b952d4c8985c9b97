import { getOrCreate, scopeProblems, type DriverManifest, type Problem } from '@stave/domain';
import { Ajv, type ValidateFunction } from 'ajv';

const compiled = new WeakMap<object, ValidateFunction>();

type Values = Readonly<Record<string, unknown>>;

/** Returns where options of a cluster break the JSON schema of the driver's manifest, with pointers under `base`. */
export function clusterOptionProblems(manifest: DriverManifest, options: Values, base: string): readonly Problem[] {
  const schema = manifest['options'];
  if (typeof schema !== 'object' || schema === null) return [];
  const validate = getOrCreate(compiled, schema, () => new Ajv({ allErrors: true, strict: false }).compile(schema));
  if (validate(options)) return pluginProblems(manifest, options, base);
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

/** Returns the plug-ins that the operator of the conductors does not allow. */
function pluginProblems({ restrictions }: DriverManifest, { plugins }: Values, base: string): readonly Problem[] {
  const { plugins: allowed }: { readonly plugins?: unknown } = Object(restrictions);
  if (!Array.isArray(allowed) || !Array.isArray(plugins)) return [];
  return plugins.flatMap((name: unknown, i) => {
    const detail = `plug-in ${String(name)} is not allowed here; the operator of the conductors lists those that are`;
    return allowed.includes(name) ? [] : [{ pointer: `${base}/plugins/${i}`, code: 'plugin-not-allowed', detail }];
  });
}

/** Returns where options of a node group break the schema, or belong to clusters only, with pointers under `base`. */
export const groupOptionProblems = (manifest: DriverManifest, options: Values, base: string): readonly Problem[] => [
  ...clusterOptionProblems(manifest, options, base),
  ...scopeProblems(manifest, options, base),
];
