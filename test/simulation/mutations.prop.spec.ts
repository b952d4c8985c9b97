import type { Profile } from './kernel/profile.js';
import { CUTS, RESTARTS, SLOW_FEEDS, STOPPED_AT_CHANGES, USUAL } from './profiles.js';
import { runSchedule } from './run-schedule.js';
import type { Mutation } from './world/mutation.js';

const BUDGET = 600;

/** The first seed that breaks one of these promises with the check taken out, and breaks nothing with it. */
function firstSeen(mutation: Mutation, profile: Profile, checks: readonly string[]): number | undefined {
  for (let seed = 1; seed <= BUDGET; seed++) {
    const { violation } = runSchedule(seed, { mutation, profile });
    if (violation && checks.includes(violation.check) && !runSchedule(seed, { profile }).violation) return seed;
  }
  return undefined;
}

describe('the simulation notices when a check is taken out', () => {
  it.each<readonly [Mutation, Profile, readonly string[]]>([
    ['claim-check', USUAL, ['claims-overlap']],
    ['report-equality', USUAL, ['stale-report-folded']],
    ['expected-revision', USUAL, ['claims-overlap', 'stale-report-folded']],
    ['generation-check', STOPPED_AT_CHANGES, ['successor-destroyed']],
    ['adoption', USUAL, ['built-twice']],
    ['session-guard', STOPPED_AT_CHANGES, ['change-after-session']],
    ['overtaken-join', RESTARTS, ['change-after-session']],
    ['first-seen', CUTS, ['change-after-session']],
    ['any-answer', CUTS, ['change-after-session']],
    ['sweep-judge', STOPPED_AT_CHANGES, ['live-unit-swept']],
    ['ring-behind', SLOW_FEEDS, ['claims-overlap']],
    ['lost-hand-out', USUAL, ['not-converged']],
  ])(
    '%s',
    (mutation, profile, checks) => {
      expect(firstSeen(mutation, profile, checks)).toBeDefined();
    },
    120_000,
  );
});
