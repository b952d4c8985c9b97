import type { Problem } from '../kernel/decider.js';
import type { PlacementRequest } from '../placement/model.js';
import type { ContainerContents } from './container-spec.js';

type Rules = Pick<PlacementRequest, 'spread' | 'affinity'>;
type OwnRules = Pick<ContainerContents, 'spread' | 'affinity'>;

const isHard = ({ mode = 'hard' }: { readonly mode?: 'hard' | 'soft' }): boolean => mode === 'hard';

/** Whether the container has rules of spread or affinity of its own. */
export const hasOwnRules = ({ spread = [], affinity = [] }: OwnRules): boolean =>
  spread.length > 0 || affinity.length > 0;

/**
 * Adds the rules of a container to those of its policies, which win: the container is the least specific level. Hard rules hold together; its
 * soft ones count where the policies have none. A spread that a policy has by the same unit replaces its own.
 */
export function withOwnRules<R extends Rules>(policies: R, own: OwnRules): R {
  if (!hasOwnRules(own)) return policies;
  const { spread = [], affinity = [] } = policies;
  const counting = <T extends { readonly mode?: 'hard' | 'soft' }>(given: readonly T[], others: readonly T[] = []) =>
    others.filter(rule => isHard(rule) || given.every(isHard));
  const spreads = counting(spread, own.spread).filter(({ by }) => spread.every(rule => rule.by !== by));
  const rules = { spread: [...spread, ...spreads], affinity: [...affinity, ...counting(affinity, own.affinity)] };
  return {
    ...policies,
    ...(rules.spread.length > 0 && { spread: rules.spread }),
    ...(rules.affinity.length > 0 && { affinity: rules.affinity }),
  };
}

/** Returns a problem for each spread by a unit that is listed before. */
export const ownRuleProblems = ({ spread = [] }: OwnRules, pointer = ''): readonly Problem[] =>
  spread.flatMap(({ by }, i) =>
    spread.findIndex(rule => rule.by === by) === i
      ? []
      : [{ pointer: `${pointer}/spread/${i}`, code: 'duplicate', detail: `the spread by ${by} is listed before` }],
  );
