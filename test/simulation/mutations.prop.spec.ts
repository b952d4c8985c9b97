import { runSchedule } from './run-schedule.js';
import type { Mutation } from './world/mutation.js';

const BUDGET = 1_000;

/** The first seed that notices, and the promise that it saw broken. */
function firstSeen(mutation: Mutation): { readonly seed: number; readonly check: string } | undefined {
  for (let seed = 1; seed <= BUDGET; seed++) {
    const { violation } = runSchedule(seed, { mutation });
    if (violation) return { seed, check: violation.check };
  }
  return undefined;
}

describe('the simulation notices when a check is taken out', () => {
  it.each<readonly [Mutation, readonly string[]]>([
    ['claim-check', ['claims-overlap']],
    ['report-equality', ['stale-report-folded']],
    ['expected-revision', ['claims-overlap', 'stale-report-folded']],
    ['generation-check', ['higher-generation-destroyed']],
    ['session-guard', ['change-after-session']],
    ['overtaken-join', ['change-after-session']],
    ['lost-hand-out', ['not-converged']],
  ])(
    '%s',
    (mutation, checks) => {
      const seen = firstSeen(mutation);
      expect(checks).toContain(seen?.check);
    },
    120_000,
  );
});
