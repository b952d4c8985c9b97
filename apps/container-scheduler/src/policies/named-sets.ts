import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import { brokenRules, isUuid, type AffinityRule } from '@stave/domain';
import { isWrongReference } from '@stave/service-kit';
import type { SchedulerLookup } from '../scheduling/scheduler.lookup.js';

type SetLookup = Pick<SchedulerLookup, 'set'>;

/**
 * Returns the value with the ids of the container sets that its rules of affinity name; they are its member `name`, at `pointer`. Throws
 * RefusedError `set-unknown` (422) for each name that no set has. A set that is named by its id may be created later, or be deleted.
 * Throws `unavailable` where it is not known yet whether a set exists.
 */
async function resolved<V extends object>(
  { lookup, meta }: { readonly lookup: SetLookup; readonly meta: RequestMeta },
  value: V,
  name: 'rules' | 'affinity',
  pointer: string,
): Promise<V> {
  const rules = (value as Readonly<Record<string, unknown>>)[name];
  if (!Array.isArray(rules)) return value;
  const problems: FieldProblem[] = [];
  const found: AffinityRule[] = [];
  for (const [i, rule] of (rules as readonly AffinityRule[]).entries()) {
    const set = rule.with && 'set' in rule.with ? rule.with.set : undefined;
    if (set === undefined || isUuid(set)) {
      found.push(rule);
      continue;
    }
    try {
      found.push({ ...rule, with: { set: (await lookup.set(meta, set)).id } });
    } catch (error) {
      if (!isWrongReference(error)) throw error;
      problems.push({ pointer: `${pointer}/${i}/with/set`, code: 'set-unknown', detail: error.error.detail });
    }
  }
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return { ...value, [name]: found };
}

/** Returns the properties of a policy with the ids of sets in place of their names. Throws RefusedError. */
export const withSetIds = <P extends object>(lookup: SetLookup, meta: RequestMeta, properties: P): Promise<P> =>
  resolved({ lookup, meta }, properties, 'rules', '/properties/rules');

/** Returns what a request gives of the contents of a container with the ids of sets in place of their names. Throws RefusedError. */
export const withOwnSetIds = <C extends object>(
  lookup: SetLookup,
  meta: RequestMeta,
  contents: C,
  pointer = '',
): Promise<C> => resolved({ lookup, meta }, contents, 'affinity', `${pointer}/affinity`);
