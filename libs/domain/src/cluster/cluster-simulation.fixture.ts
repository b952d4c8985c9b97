import type { Decision } from '../kernel/decider.js';
import { AT } from '../kernel/given.fixture.js';
import type { OperationStart } from '../kernel/operation.js';
import { cancelClusterRollout, startClusterRollout } from '../node-group/group-actions.js';
import { groupRolloutProgress } from '../node-group/group-operations.js';
import { Simulation, spec } from '../node-group/group-simulation.fixture.js';
import { deleteNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import { createCluster } from './cluster-decider.js';
import type { ClusterEvent } from './cluster-events.js';
import { nodeBuildBlocker } from './cluster-refusals.js';
import {
  isCancelled,
  nextGroupToRollOut,
  nodeRolloutKindOf,
  runnableRollout,
  type RollingGroup,
} from './cluster-rollout.js';
import type { ClusterState, ClusterTaskKind } from './cluster-state.js';
import { clusterStream } from './evolve-cluster.js';
import { groupView, reconcileCluster } from './reconcile-cluster.js';
import { reportClusterTask } from './report-cluster-task.js';

const clusterSpec = { driver: 'fake', driverVersion: '1.0.0', labels: {}, network: {}, api: {}, options: {} } as never;
const claim = { attempt: 1, conductor: 'one', session: 's', epoch: 1 };

/** A cluster with groups: its own work and that of its nodes ends as the test says. */
export class ClusterSimulation {
  state: ClusterState = clusterStream.initial;
  readonly groups: readonly Simulation[];
  readonly log: ClusterEvent[] = [];

  constructor(counts: readonly number[]) {
    this.groups = counts.map((count, i) => new Simulation(count, [], `g${i}`));
    const groups = counts.map((count, i) => ({ id: `g${i}`, name: `g${i}`, spec: spec(count) }));
    const operation = { id: 'create', kind: 'cluster.create', total: 1 };
    this.take(createCluster({ id: 'c', name: 'c', projectId: 'p', spec: clusterSpec, groups, operation }));
  }

  /** Whether it was accepted. */
  take(decision: Decision<ClusterEvent>): boolean {
    for (const event of decision.ok ? decision.events : []) {
      this.state = clusterStream.evolve(this.state, event, AT);
      this.log.push(event);
    }
    return decision.ok;
  }

  /** Until nothing can happen any more. */
  exhaust(ends: () => boolean): void {
    for (let round = 0; round < 100; round++) {
      const before = this.size();
      this.round(ends);
      if (this.size() === before) return;
    }
    throw new Error('does not result in an end');
  }

  /** The cluster's own work, then each group, then what follows for the cluster. */
  round(ends: () => boolean): void {
    this.work(ends);
    for (const group of this.groups) this.groupGoesOn(group, ends);
    this.take({ ok: true, events: reconcileCluster(this.state, this.around()) });
  }

  started(): readonly OperationStart[] {
    return this.log.flatMap(({ data }) => ('operation' in data && data.operation ? [data.operation] : []));
  }

  private size(): number {
    return this.groups.reduce((sum, { log }) => sum + log.length, this.log.length);
  }

  private work(ends: () => boolean): void {
    const { wanted } = this.state.work;
    if (!wanted || wanted.retriesExhausted || this.state.paused) return;
    const { taskId, kind, generation } = wanted;
    this.take({ ok: true, events: [{ type: 'TaskClaimed', data: { taskId, kind, generation, ...claim } }] });
    const outcome: TaskOutcome<ClusterTaskKind> = ends()
      ? doneOf(kind)
      : { type: 'failed', failure: 'permanent', message: 'no quota' };
    this.take(reportClusterTask({ taskId, ...claim, outcome }, this.state));
  }

  /**
   * As nodegroup-service does: groups of a cluster that goes are deleted for its operation; nothing is built before its shared parts, and
   * nothing at all while it is paused.
   */
  private groupGoesOn(group: Simulation, ends: () => boolean): void {
    const { state } = this;
    if (state.paused) return;
    const operationId = state.operations.at(-1)?.id ?? '';
    if (state.deleting) tell(group, deleteNodeGroup(group.state, { operationId, force: state.forced }));
    if (state.rollout && isCancelled(state)) tell(group, cancelClusterRollout(group.state, state.rollout.operationId));
    const rollout = runnableRollout(state);
    const next = rollout && nextGroupToRollOut(this.rolling(), rollout);
    if (rollout && next?.id === group.state.declared?.id)
      tell(group, startClusterRollout(group.state, rollout, nodeRolloutKindOf(rollout)));
    group.blocked = nodeBuildBlocker(state) ?? (state.built ? undefined : 'not yet');
    group.exhaust(ends);
  }

  private rolling(): readonly RollingGroup[] {
    return this.groups.flatMap(({ state }) => {
      if (!state.declared || state.deleting) return [];
      const rollout = groupRolloutProgress(state);
      const { id, name } = state.declared;
      return [{ id, name, role: 'worker' as const, createdAt: state.createdAt, ...(rollout ? { rollout } : {}) }];
    });
  }

  private around(): Parameters<typeof reconcileCluster>[1] {
    const groups = this.groups.flatMap(({ state }) => groupView(state) ?? []);
    const gone = groups.every(g => g.deleted);
    return { group: id => groups.find(g => g.name === id), groups, groupsRemoved: gone, containersRemoved: true };
  }
}

function tell(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (decision.ok) group.append(...decision.events);
}
