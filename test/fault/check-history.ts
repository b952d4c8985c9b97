import { ClaimHistory } from './claim-history.js';
import { EffectRules } from './effect-rules.js';
import type { BrokenPromise, History } from './history.js';
import { differences, sweptAlive } from './outcome-rules.js';

/**
 * The promises that a history breaks; none when all is well. Give it a history that is settled: nothing under way, and orphans
 * swept. The clocks of the cloud and of the services must agree (one machine). Pure.
 */
export function checkHistory(history: History): readonly BrokenPromise[] {
  const claims = new ClaimHistory(history.events);
  const effects = new EffectRules(claims, history.journal);
  return [...claims.broken, ...effects.broken, ...sweptAlive(history), ...differences(history)];
}
