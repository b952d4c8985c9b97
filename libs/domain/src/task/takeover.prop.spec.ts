import fc from 'fast-check';
import { decideClaim, decideReport, type ReportCommand } from './decide-task.js';
import { takeoverOfWork, takeoverState, type TakeoverAction, type TakeoverState } from '../testing/takeover-table.js';
import { doneOf } from './task-outcomes.fixture.js';
import { evolveWork, noWork, wantTask, type Work } from './task-state.js';

const SUCCESSOR = 'successor';
const LAST_SECOND = 9;
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

type Report = Pick<ReportCommand, 'outcome' | 'retryAt'>;
type Step =
  | { readonly type: 'want' }
  | { readonly type: 'want nothing' }
  | { readonly type: 'claim'; readonly session: string; readonly second: number; readonly othersDied: boolean }
  | { readonly type: 'report'; readonly report: Report };

const report: fc.Arbitrary<Report> = fc.oneof(
  fc.constant<Report>({ outcome: doneOf('node.create') }),
  fc.constant<Report>({ outcome: { type: 'released', reason: 'r' } }),
  fc.constant<Report>({ outcome: { type: 'failed', failure: 'permanent', message: 'm' } }),
  fc.integer({ min: 0, max: 9 }).map((second): Report => ({
    outcome: { type: 'failed', failure: 'transient', message: 'm' },
    retryAt: at(second),
  })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ type: 'want' }),
  fc.constant<Step>({ type: 'want nothing' }),
  fc.record({
    type: fc.constant('claim' as const),
    session: fc.constantFrom('s1', 's2'),
    second: fc.nat(LAST_SECOND),
    othersDied: fc.boolean(),
  }),
  fc.record({ type: fc.constant('report' as const), report }),
);

/** Every work that commands can lead to: what is decided is folded. */
function workAfter(steps: readonly Step[]): Work {
  return steps.reduce<Work>((work, each, index) => {
    const { claim, wanted } = work;
    switch (each.type) {
      case 'want':
        return wantTask(work, 'r1', 'node.create', index, 'op');
      case 'want nothing':
        return claim ? { claim } : noWork;
      case 'claim': {
        const { session } = each;
        const command = { taskId: wanted?.taskId ?? '', conductor: session, session, epoch: 1, now: at(each.second) };
        const isLive = (s: string): boolean => s === session || (s !== 's1' && !each.othersDied);
        const decision = decideClaim({ ...command, isLive }, work);
        return decision.ok ? decision.events.reduce(evolveWork, work) : work;
      }
      case 'report': {
        if (!claim) return work;
        const decision = decideReport({ ...claim, ...each.report }, work);
        return decision.ok ? decision.events.reduce(evolveWork, work) : work;
      }
    }
  }, noWork);
}

/** What the new holder may do, by the decider. */
function claimable(work: Work, now: string, isLive: (session: string) => boolean): boolean {
  const taskId = work.wanted?.taskId ?? '';
  const command = { taskId, conductor: 'c', session: SUCCESSOR, epoch: 1, now };
  return decideClaim({ ...command, isLive: s => s === SUCCESSOR || isLive(s) }, work).ok;
}

const works = fc.array(step, { maxLength: 12 }).map(workAfter);
const dead = (): boolean => false;

it('the takeover table matches the decider of claims for every possible work', () => {
  fc.assert(
    fc.property(works, fc.nat(LAST_SECOND), (work, any) => {
      // time does not run backwards: what is claimed may have been claimed at the last second
      const second = work.claim ? LAST_SECOND : any;
      const state = takeoverState(work, dead, at(second));
      expect(state).not.toBe('held');
      const action: TakeoverAction = state === 'claimed' || state === 'held' ? 'resume' : takeoverOfWork[state].action;
      expect(claimable(work, at(second), dead)).toBe(action === 'resume' || action === 'compensate');
    }),
    { numRuns: 2_000 },
  );
});

it('a live conductor never loses its claim', () => {
  fc.assert(
    fc.property(works, work => {
      const held = takeoverState(work, () => true, at(0)) === 'held';
      expect(held).toBe(work.claim !== undefined);
      if (held) expect(claimable(work, at(9), () => true)).toBe(false);
    }),
  );
});

it('every state of the takeover table is reached', () => {
  const seen = new Set<TakeoverState>();
  for (const work of fc.sample(works, { numRuns: 5_000, seed: 1 })) {
    seen.add(takeoverState(work, dead, at(5)));
    seen.add(takeoverState(work, () => true, at(5)));
  }
  expect([...seen].sort()).toEqual([...Object.keys(takeoverOfWork), 'held', 'claimed'].sort());
});
