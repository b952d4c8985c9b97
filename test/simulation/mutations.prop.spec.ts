import { runSchedule } from './run-schedule.js';
import type { Mutation } from './world/mutation.js';

const BUDGET = 1_000;

/** The first seed that breaks one of these promises with the check taken out, and breaks nothing with it. */
function firstSeen(mutation: Mutation, checks: readonly string[]): number | undefined {
  for (let seed = 1; seed <= BUDGET; seed++) {
    const { violation } = runSchedule(seed, { mutation });
    if (violation && checks.includes(violation.check) && !runSchedule(seed).violation) return seed;
  }
  return undefined;
}

describe('the simulation notices when a check is taken out', () => {
  it.each<readonly [Mutation, readonly string[]]>([
    ['claim-check', ['claims-overlap']],
    ['report-equality', ['stale-report-folded']],
    ['expected-revision', ['claims-overlap', 'stale-report-folded']],
    ['session-guard', ['change-after-session']],
    ['lost-hand-out', ['not-converged']],
  ])(
    '%s',
    (mutation, checks) => {
      expect(firstSeen(mutation, checks)).toBeDefined();
    },
    120_000,
  );
});
