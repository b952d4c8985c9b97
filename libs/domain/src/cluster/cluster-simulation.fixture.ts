import type { Decision } from '../kernel/decider.js';
import { AT, foldAll } from '../kernel/given.fixture.js';
import type { OperationStart } from '../kernel/operation.js';
import { cancelClusterRollout, startClusterRollout } from '../node-group/group-actions.js';
import { groupRolloutProgress } from '../node-group/group-operations.js';
import { Simulation, spec } from '../node-group/group-simulation.fixture.js';
import { deleteNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import { nodeBuildBlocker } from './cluster-decider.js';
import type { ClusterEvent } from './cluster-events.js';
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

/** Simulates a cluster with groups. The test decides how work of the cluster and of its nodes ends. */
export class ClusterSimulation {
  state: ClusterState;
  readonly groups: readonly Simulation[];
  readonly log: ClusterEvent[] = [];

  constructor(counts: readonly number[]) {
    this.groups = counts.map((count, i) => new Simulation(count, [], `g${i}`));
    const groups = counts.map((count, i) => ({ id: `g${i}`, name: `g${i}`, spec: spec(count) }));
    const operation = { id: 'create', kind: 'cluster.create', total: 1 };
    const data = { id: 'c', name: 'c', projectId: 'p', spec: clusterSpec, groups, operation };
    const created = { type: 'ClusterCreated', data } as const;
    this.state = foldAll(clusterStream, [created]);
    this.log.push(created);
  }

  /** Appends the events of the decision; returns whether it was accepted. */
  take(decision: Decision<ClusterEvent>): boolean {
    for (const event of decision.ok ? decision.events : []) {
      this.state = clusterStream.evolve(this.state, event, AT);
      this.log.push(event);
    }
    return decision.ok;
  }

  /** Runs until nothing can happen any more. */
  exhaust(ends: () => boolean): void {
    for (let round = 0; round < 100; round++) {
      const before = this.size();
      this.round(ends);
      if (this.size() === before) return;
    }
    throw new Error('does not result in an end');
  }

  /** Ends the work of the cluster, advances each group, and reconciles the cluster. */
  round(ends: () => boolean): void {
    this.work(ends);
    for (const group of this.groups) this.advanceGroup(group, ends);
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
    this.take(reportClusterTask({ taskId, ...claim, outcome }, this.state, () => this.around()));
  }

  /**
   * Acts like nodegroup-service: groups of a cluster that is being deleted are deleted for the same operation, nothing is built before the
   * shared infrastructure, and nothing is started while the cluster is paused.
   */
  private advanceGroup(group: Simulation, ends: () => boolean): void {
    const { state } = this;
    if (state.paused) return;
    const operationId = state.operations.at(-1)?.id ?? '';
    if (state.deleting) apply(group, deleteNodeGroup(group.state, { operationId, force: state.forced }));
    if (state.rollout && isCancelled(state)) apply(group, cancelClusterRollout(group.state, state.rollout.operationId));
    const rollout = runnableRollout(state);
    const next = rollout && nextGroupToRollOut(this.rolling(), rollout);
    if (rollout && next?.id === group.state.declared.id)
      apply(group, startClusterRollout(group.state, rollout, nodeRolloutKindOf(rollout)));
    group.blocked = nodeBuildBlocker(state) ?? (state.built ? undefined : 'not yet');
    group.exhaust(ends);
  }

  private rolling(): readonly RollingGroup[] {
    return this.groups.flatMap(({ state }) => {
      if (state.deleting) return [];
      const rollout = groupRolloutProgress(state);
      const { id, name } = state.declared;
      return [{ id, name, role: 'worker' as const, createdAt: state.createdAt, ...(rollout ? { rollout } : {}) }];
    });
  }

  private around(): Parameters<typeof reconcileCluster>[1] {
    const groups = this.groups.map(({ state }) => groupView(state));
    const gone = groups.every(g => g.deleted);
    return { group: id => groups.find(g => g.name === id), groups, groupsRemoved: gone, containersRemoved: true };
  }
}

function apply(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (decision.ok) group.append(...decision.events);
}
