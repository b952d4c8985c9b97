import fc from 'fast-check';
import type { Decision } from '../kernel/decider.js';
import { AT } from '../kernel/given.fixture.js';
import type { OperationStart } from '../kernel/operation.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { rebootNodeGroup, rebuildNodeGroup } from '../node-group/group-actions.js';
import { spec } from '../node-group/group-simulation.fixture.js';
import type { NodeGroupChanges } from '../node-group/node-group-changes.js';
import {
  createNodeGroup,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { UpdateStrategy } from '../node-group/node-group-spec.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { updateNodeGroup } from '../node-group/update-node-group.js';
import { groupSteps } from './group-steps.js';
import { failedIn, failedNodesIn, planGroup, unsettledGroup } from './plan-group.js';
import { PlannedRun, type Turn } from './planned-run.fixture.js';

export interface Change {
  readonly name: string;
  readonly decide: (run: PlannedRun, operation: OperationStart) => Decision<NodeGroupEvent>;
}

export const operation = (kind: string): OperationStart => ({ id: `op-${kind}`, kind, total: 1 });

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

export const aChange: fc.Arbitrary<Change> = fc.oneof(
  fc.nat(8).map((n): Change => ({
    name: `resize to ${n}`,
    decide: ({ state }, o) => resizeNodeGroup(state, { count: n, operation: { ...o, kind: 'node-group.resize' } }),
  })),
  fc.nat(8).map((n): Change => ({
    name: `remove ${n}`,
    decide: (run, o) =>
      removeMember(run.state, { nodeId: nodeOf(run, n), operation: { ...o, kind: 'node.delete' }, lowerMin: true }),
  })),
  fc.nat(8).map((n): Change => ({
    name: `replace ${n}`,
    decide: (run, o) =>
      replaceMember(run.state, {
        nodeId: nodeOf(run, n),
        successorId: run.freshId(),
        operation: { ...o, kind: 'node.replace' },
      }),
  })),
  fc.record({ flavor, zones, labels, count: fc.option(fc.nat(8), { nil: undefined }) }).map((changes): Change => ({
    name: JSON.stringify(changes),
    decide: ({ state }, o) => updateNodeGroup(state, given(changes), { operationId: o.id }),
  })),
  fc.constant<Change>({ name: 'rebuild', decide: ({ state }, o) => rebuildNodeGroup(state, { operation: o }) }),
  fc.constant<Change>({
    name: 'reboot',
    decide: ({ state }, o) => rebootNodeGroup(state, { operation: o, type: 'soft' }),
  }),
  fc.constant<Change>({
    name: 'delete',
    decide: ({ state }, o) =>
      deleteNodeGroup(state, { operationId: o.id, operation: { ...o, kind: 'node-group.delete' } }),
  }),
);

const aTurn = (well: fc.Arbitrary<boolean>): fc.Arbitrary<Turn> => fc.record({ pick: fc.nat(20), well });
export const turns = (well: fc.Arbitrary<boolean>): fc.Arbitrary<Turn[]> =>
  fc.array(aTurn(well), { minLength: 1, maxLength: 30 });
export const alwaysWell = fc.constant(true);
export const mostlyWell = fc.integer({ min: 0, max: 9 }).map(n => n > 0);

export function created(count: number, inZones: readonly string[], updateStrategy: UpdateStrategy): PlannedRun {
  const start = operation('node-group.create');
  const home = { clusterId: 'c', projectId: 'p', operationId: start.id, operation: start };
  const data = { id: 'g', name: 'web', spec: { ...spec(count, inZones), updateStrategy }, ...home };
  return PlannedRun.of(createNodeGroup(data));
}

/** As it is appended with a plan token. */
export function asPlanned(event: NodeGroupEvent, failed: readonly string[]): NodeGroupEvent {
  if (!('operation' in event.data) || !event.data.operation) return event;
  const data = { ...event.data, operation: { ...event.data.operation, planned: { failed } } };
  return { ...event, data } as NodeGroupEvent;
}

/** The plan of the change, and the run after it was accepted with that; undefined where it is refused. */
export function acceptPlanned(run: PlannedRun, { decide }: Change) {
  const before: NodeGroupState = run.state;
  const asked = decide(run, operation('op'));
  if (!asked.ok) return undefined;
  const after = asked.events.reduce((s, e) => nodeGroupStream.evolve(s, e, AT), before);
  const around = { nodes: (id: string) => run.viewAt(id, after.metadataGeneration) };
  const effect = { before, after, events: asked.events };
  const plan = [...planGroup(effect, around)].flat();
  const unsettled = unsettledGroup(effect, around);
  const failed = failedIn(before, around);
  const first = run.log.length;
  run.append(...asked.events.map(event => asPlanned(event, failedNodesIn(plan))));
  const log = (): readonly NodeGroupEvent[] => run.log.slice(first);
  return { plan, unsettled, log, executed: () => groupSteps(before, log(), failed) };
}

export const fleet = { count: fc.nat(8), zones: zoneNames, strategy: aStrategy };
