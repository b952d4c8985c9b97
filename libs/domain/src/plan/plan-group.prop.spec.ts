import { isDeepStrictEqual } from 'node:util';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import { ROLLING_REPLACEMENT } from '../node-group/node-group-state.js';
import { groupSteps } from './group-steps.js';
import { planGroup } from './plan-group.js';
import type { PlanStep } from './plan.js';
import {
  aChange,
  acceptPlanned,
  alwaysWell,
  asPlanned,
  created,
  fleet,
  mostlyWell,
  operation,
  turns,
} from './planned-change.fixture.js';
import { PlannedRun } from './planned-run.fixture.js';
import fc from 'fast-check';

/** What was under way before continues beside it, in an order of its own. */
const sorted = (steps: readonly PlanStep[]): readonly string[] => steps.map(step => JSON.stringify(step)).sort();

const isDone = ({ action }: PlanStep): boolean => action !== 'keep';

/** How the operation ended; undefined where none began, or it continues. */
const endOf = (log: readonly NodeGroupEvent[]) =>
  log.flatMap(e => (e.type === 'OperationEnded' && e.data.operationId === 'op-op' ? [e.data] : [])).at(0);

/** Which of the planned steps have begun, in their order; undefined where anything else has. */
function begunOf(plan: readonly PlanStep[], executed: readonly PlanStep[]): readonly PlanStep[] | undefined {
  const planned = new Map(plan.map(step => [step.resource.id, step]));
  const begun = executed.filter(isDone).flatMap((step): readonly PlanStep[] => {
    const { action, reason, resource } = step;
    const complete = resource.id === undefined ? undefined : planned.get(resource.id);
    // it is let go, and what was to take its place is not there yet
    if (action === 'remove' && reason === ROLLING_REPLACEMENT && complete?.action === 'replace') return [complete];
    // its labels change before it goes
    const isTagged = action === 'change' && reason === 'labels, taints or options';
    return isTagged && complete?.action !== 'change' ? [] : [step];
  });
  const inOrder = plan.filter(step => begun.some(b => isDeepStrictEqual(b, step)));
  return isDeepStrictEqual(begun, inOrder) ? begun : undefined;
}

let cases = 0;
let stopped = 0;
afterAll(() => process.stdout.write(`plans of node groups: ${cases} cases, ${stopped} of them stopped\n`));

describe('the plan of a node group', () => {
  it('the plan of a node group has the steps that are executed, in the same order, whichever ends first', () => {
    fc.assert(
      fc.property(fc.record(fleet), aChange, turns(alwaysWell), ({ count, zones: where, strategy }, change, order) => {
        const run = created(count, where, strategy);
        run.allWell();
        const accepted = acceptPlanned(run, change);
        if (!accepted) return;
        cases++;
        run.run(order);
        expect(accepted.executed()).toEqual(accepted.plan);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a plan that is made during another operation has the steps that are executed', () => {
    fc.assert(
      fc.property(
        fc.record(fleet),
        aChange,
        aChange,
        fc.nat(12),
        turns(alwaysWell),
        ({ count, zones: where, strategy }, earlier, change, rounds, order) => {
          const run = created(count, where, strategy);
          run.run(order, rounds);
          const decision = earlier.decide(run, operation('earlier'));
          if (decision.ok) run.append(...decision.events);
          run.run(order, rounds);
          const accepted = acceptPlanned(run, change);
          if (!accepted || accepted.unsettled !== undefined) return;
          cases++;
          run.run(order);
          expect(sorted(accepted.executed())).toEqual(sorted(accepted.plan));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('a plan is executed exactly, or the execution stops with a reason before any other step', () => {
    fc.assert(
      fc.property(
        fc.record(fleet),
        fc.boolean(),
        turns(fc.boolean()),
        aChange,
        turns(mostlyWell),
        ({ count, zones: where, strategy }, isWhole, before, change, order) => {
          const run = created(count, where, strategy);
          if (isWhole) run.allWell();
          else run.run(before);
          const accepted = acceptPlanned(run, change);
          if (!accepted) return;
          cases++;
          run.run(order);
          const end = endOf(accepted.log());
          const begun = begunOf(accepted.plan, accepted.executed());
          expect({ end, plan: accepted.plan, executed: begun ? [] : accepted.executed() }).toEqual({
            end,
            plan: accepted.plan,
            executed: [],
          });
          if (end?.error?.code === 'plan-deviated') {
            stopped++;
            expect(end).toMatchObject({ status: 'FAILED', error: { detail: expect.stringContaining('broken') } });
            expect(run.summary).toMatchObject({ planDeviated: true, status: 'DEGRADED' });
          } else if (end?.status === 'SUCCEEDED') expect(accepted.executed()).toEqual(accepted.plan);
        },
      ),
      { numRuns: 4_000 },
    );
  });

  it('the plan of the creation of a node group has the steps that are executed', () => {
    fc.assert(
      fc.property(fc.record(fleet), turns(mostlyWell), ({ count, zones: where, strategy }, order) => {
        const run = created(count, where, strategy);
        const [event] = run.log as [NodeGroupEvent];
        const effect = { before: undefined, after: run.state, events: run.log };
        const plan = [...planGroup(effect, { nodes: () => undefined })].flat();
        const planned = new PlannedRun(asPlanned(event, []));
        const first = planned.state;
        planned.run(order);
        cases++;
        const executed = groupSteps(first, planned.log);
        expect(executed.map(s => s.action)).toEqual(Array.from({ length: count }, () => 'create'));
        expect(executed).toEqual(plan);
        const failed = [...planned.state.members.keys()].some(id => planned.nodes(id)?.failed);
        const ended = planned.log.filter(e => e.type === 'OperationEnded').map(e => e.data);
        expect(ended).toMatchObject([failed ? { error: { code: 'plan-deviated' } } : { status: 'SUCCEEDED' }]);
        if (failed) stopped++;
      }),
      { numRuns: 1_000 },
    );
  });
});
