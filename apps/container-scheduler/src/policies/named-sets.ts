import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import { brokenRules, isUuid, type AffinityRule } from '@stave/domain';
import type { SchedulerLookup } from '../scheduling/scheduler.lookup.js';

interface Ruled {
  readonly rules?: readonly AffinityRule[];
}

/**
 * Returns the properties with the ids of the container sets that the rules of affinity name. Throws RefusedError `set-unknown` (422) for each
 * name that no set has. A set that is named by its id may be created later, or be deleted.
 */
export async function withSetIds<P extends object>(
  lookup: SchedulerLookup,
  meta: RequestMeta,
  properties: P,
): Promise<P> {
  const { rules } = properties as Ruled;
  if (!Array.isArray(rules)) return properties;
  const problems: FieldProblem[] = [];
  const resolved: AffinityRule[] = [];
  for (const [i, rule] of (rules as readonly AffinityRule[]).entries()) {
    const name = rule.with && 'set' in rule.with ? rule.with.set : undefined;
    if (name === undefined || isUuid(name)) {
      resolved.push(rule);
      continue;
    }
    try {
      resolved.push({ ...rule, with: { set: (await lookup.set(meta, name)).id } });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      problems.push({ pointer: `/properties/rules/${i}/with/set`, code: 'set-unknown', detail: error.error.detail });
    }
  }
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return { ...properties, rules: resolved };
}
