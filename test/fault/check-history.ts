import { ClaimHistory } from './claim-history.js';
import { EffectRules } from './effect-rules.js';
import type { BrokenPromise, History } from './history.js';
import { differences, liveUnitsSwept } from './outcome-rules.js';

/**
 * Returns the promises that a history breaks; empty when it keeps all of them. The history must be settled: no work in progress,
 * orphans swept. The clocks of the fake cloud and of the services must agree, so both run on one machine.
 */
export function checkHistory(history: History): readonly BrokenPromise[] {
  const claims = new ClaimHistory(history.events);
  const effects = new EffectRules(claims, history.journal);
  return [...claims.broken, ...effects.broken, ...liveUnitsSwept(history), ...differences(history)];
}
