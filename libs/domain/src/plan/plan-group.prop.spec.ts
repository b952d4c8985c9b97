import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import type { OperationStart } from '../kernel/operation.js';
import { spec } from '../node-group/group-simulation.fixture.js';
import {
  createNodeGroup,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { updateNodeGroup } from '../node-group/update-node-group.js';
import type { UpdateStrategy } from '../node-group/update-strategy.js';
import { rebootNodeGroup, rebuildNodeGroup } from '../node-group/group-actions.js';
import type { NodeGroupChanges } from '../node-group/node-group-changes.js';
import { groupSteps } from './group-steps.js';
import { planGroup } from './plan-group.js';
import { PlannedRun, type Turn } from './planned-run.fixture.js';

interface Change {
  readonly name: string;
  readonly decide: (run: PlannedRun, operation: OperationStart) => Decision<NodeGroupEvent>;
}

const operation = (kind: string, planned: boolean): OperationStart => ({
  id: `op-${kind}`,
  kind,
  total: 1,
  ...(planned ? { planned } : {}),
});

const nodeOf = (run: PlannedRun, index: number): string => run.memberAt(index)?.id ?? '';

const zoneNames = fc.subarray(['a', 'b', 'c']);
const zones = fc.option(
  zoneNames.map(names => names.map(name => ({ name }))),
  { nil: undefined },
);
const flavor = fc.option(
  fc.integer({ min: 1, max: 2 }).map(cpus => ({ cpus, memoryMb: 1 })),
  { nil: undefined },
);
const labels = fc.option(fc.constantFrom({}, { tier: 'web' }), { nil: undefined });
const aStrategy = fc
  .record({ maxSurge: fc.constantFrom(0, 1, 2, '50%'), maxUnavailable: fc.constantFrom(0, 1, 2, '50%') })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge !== 0 || maxUnavailable !== 0);

/** Only what is given. */
const given = (changes: Readonly<Record<string, unknown>>): NodeGroupChanges =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

const aChange: fc.Arbitrary<Change> = fc.oneof(
  fc.nat(8).map((n): Change => ({
    name: `resize to ${n}`,
    decide: ({ state }, o) => resizeNodeGroup(state, n, { ...o, kind: 'node-group.resize' }),
  })),
  fc.nat(8).map((n): Change => ({
    name: `remove ${n}`,
    decide: (run, o) => removeMember(run.state, nodeOf(run, n), { ...o, kind: 'node.delete' }, true),
  })),
  fc.nat(8).map((n): Change => ({
    name: `replace ${n}`,
    decide: (run, o) => replaceMember(run.state, nodeOf(run, n), run.freshId(), { ...o, kind: 'node.replace' }),
  })),
  fc.record({ flavor, zones, labels, count: fc.option(fc.nat(8), { nil: undefined }) }).map((changes): Change => ({
    name: JSON.stringify(changes),
    decide: ({ state }, o) => updateNodeGroup(state, given(changes), { operationId: o.id }),
  })),
  fc.constant<Change>({ name: 'rebuild', decide: ({ state }, o) => rebuildNodeGroup(state, o) }),
  fc.constant<Change>({ name: 'reboot', decide: ({ state }, o) => rebootNodeGroup(state, o, 'soft') }),
  fc.constant<Change>({
    name: 'delete',
    decide: ({ state }, o) => deleteNodeGroup(state, o.id, { ...o, kind: 'node-group.delete' }),
  }),
);

const aTurn = (well: fc.Arbitrary<boolean>): fc.Arbitrary<Turn> => fc.record({ pick: fc.nat(20), well });
const turns = (well: fc.Arbitrary<boolean>): fc.Arbitrary<Turn[]> =>
  fc.array(aTurn(well), { minLength: 1, maxLength: 30 });
const alwaysWell = fc.constant(true);

function created(count: number, inZones: readonly string[], updateStrategy: UpdateStrategy): PlannedRun {
  const run = new PlannedRun();
  const start = operation('node-group.create', false);
  const home = { clusterId: 'c', projectId: 'p', operationId: start.id, operation: start };
  const decision = createNodeGroup({
    id: 'g',
    name: 'web',
    spec: { ...spec(count, inZones), updateStrategy },
    ...home,
  });
  if (decision.ok) run.append(...decision.events);
  return run;
}

/** The change as it is planned, and the run after it was accepted; undefined where it is refused. */
function accept(run: PlannedRun, { decide }: Change, planned = false) {
  const before: NodeGroupState = run.state;
  const decision = decide(run, operation('op', planned));
  if (!decision.ok) return undefined;
  const first = run.log.length;
  run.append(...decision.events);
  const plan = planGroup({ before, after: run.state, events: decision.events }, { nodes: run.nodes });
  return { plan, executed: () => groupSteps(before, run.log.slice(first)) };
}

let cases = 0;
afterAll(() => process.stdout.write(`plans of node groups: ${cases} cases\n`));

describe('the plan of a node group', () => {
  it('is what is done, in the same order, whatever ends first', () => {
    fc.assert(
      fc.property(
        fc.nat(8),
        zoneNames,
        aStrategy,
        aChange,
        turns(alwaysWell),
        (count, inZones, strategy, change, order) => {
          const run = created(count, inZones, strategy);
          run.allWell();
          const accepted = accept(run, change);
          if (!accepted) return;
          cases++;
          run.run(order);
          expect(accepted.executed()).toEqual(accepted.plan);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
