import type { Decision } from '../kernel/decider.js';
import { foldAll } from '../kernel/given.fixture.js';
import type { OperationStart } from '../kernel/operation.js';
import { decideClaim, type TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import {
  createCluster,
  deleteCluster,
  pauseCluster,
  rebootCluster,
  rebuildCluster,
  updateCluster,
  upgradeCluster,
} from './cluster-decider.js';
import type { ClusterEvent, ClusterSpecification } from './cluster-events.js';
import type { ClusterState, ClusterTaskKind } from './cluster-state.js';
import { clusterStream } from './evolve-cluster.js';
import { reconcileCluster, type ClusterReconcileInput, type GroupView } from './reconcile-cluster.js';
import { reportClusterTask } from './report-cluster-task.js';

export const cluster = clusterStream;
export const begin = (id: string, kind: string): OperationStart => ({ id, kind: `cluster.${kind}`, total: 1 });
export const spec: ClusterSpecification = {
  driver: 'fake',
  driverVersion: '1.1.0',
  conductorGroup: '',
  network: {},
  api: {},
  labels: { env: 'test' },
  defaults: {},
  options: {},
};

type Step = (state: ClusterState) => Decision<ClusterEvent>;
const HOLDER = { conductor: 'one', session: 's' };
const view: GroupView = { name: 'w', status: 'ACTIVE', failed: false, deleted: false };
const around = (group: Partial<GroupView> = {}, over: Partial<ClusterReconcileInput> = {}): ClusterReconcileInput => {
  const shown = { ...view, ...group };
  return { group: () => shown, groups: [shown], groupsRemoved: false, containersRemoved: false, ...over };
};

/** Appends the events of each decision, which must be accepted. */
export const after = (...steps: readonly Step[]): readonly ClusterEvent[] =>
  steps.reduce<readonly ClusterEvent[]>((events, step) => {
    // the first step creates the cluster, and needs no state
    const decision = step(events.length === 0 ? ({} as ClusterState) : foldAll(cluster, events));
    if (!decision.ok) throw new Error(decision.refusal.code);
    return [...events, ...decision.events];
  }, []);
export const stateAfter = (...steps: readonly Step[]): ClusterState => foldAll(cluster, after(...steps));

export const create: Step = () => {
  const groups = [{ id: 'g', name: 'w', spec: {} as never }];
  return createCluster({ id: 'c', name: 'web', projectId: 'p', spec, groups, operation: begin('op-create', 'create') });
};
export const claim: Step = state => {
  const taskId = state.work.wanted?.taskId ?? '';
  return decideClaim({ taskId, ...HOLDER, epoch: 0, now: '2026-01-01T00:00:00.000Z', isLive: () => true }, state.work);
};
export const report =
  (outcome: TaskOutcome<ClusterTaskKind> | 'done', retryAt?: string): Step =>
  state => {
    const { taskId = '', attempt = 0 } = state.work.claim ?? {};
    return reportClusterTask(
      {
        taskId,
        attempt,
        ...HOLDER,
        ...(retryAt === undefined ? {} : { retryAt }),
        outcome: outcome === 'done' ? doneOf(state.work.wanted?.kind ?? 'cluster.create') : outcome,
      },
      state,
    );
  };
export const done = report('done');
export const broken = report({ type: 'failed', failure: 'permanent', message: 'no quota' });
export const reconciled =
  (group: Partial<GroupView> = {}, over: Partial<ClusterReconcileInput> = {}): Step =>
  state => ({ ok: true, events: reconcileCluster(state, around(group, over)) });

export const patch =
  (id = 'op-patch', cidr = '10.9.0.0/16'): Step =>
  state =>
    updateCluster(state, { network: { cidr } }, { operation: begin(id, 'update') });
export const label: Step = state =>
  updateCluster(state, { labels: { tier: 'gold' } }, { operation: begin('none', 'update') });
export const pause: Step = state => pauseCluster(state, { paused: true });
export const resume: Step = state => pauseCluster(state, { paused: false });
export const rebuild: Step = state => rebuildCluster(state, { operation: begin('op-rebuild', 'rebuild') });
export const rebuildAtOnce: Step = state =>
  rebuildCluster(state, { operation: begin('op-rebuild', 'rebuild'), atOnce: true });
export const rebootAtOnce: Step = state =>
  rebootCluster(state, { operation: begin('op-reboot', 'reboot'), type: 'hard', atOnce: true });
export const reboot: Step = state => rebootCluster(state, { operation: begin('op-reboot', 'reboot'), type: 'soft' });
export const upgrade =
  (version = '2.0.0'): Step =>
  state =>
    upgradeCluster(state, { version, operation: begin('op-upgrade', 'upgrade'), problems: [] });
export const remove: Step = state => deleteCluster(state, { operation: begin('op-delete', 'delete') });
export const force: Step = state => deleteCluster(state, { operation: begin('op-force', 'delete'), force: true });

const active = [create, claim, done, reconciled()];
const gone = { groupsRemoved: true, containersRemoved: true };
const rolled = (operationId: string, status: 'in-progress' | 'failed') =>
  reconciled({ rollout: { operationId, status }, ...(status === 'failed' ? { status: 'DEGRADED' } : {}) });

/** One history for each state of a cluster. */
export const states: Readonly<Record<string, readonly Step[]>> = {
  'creating, nobody at it': [create],
  'creating, at it': [create, claim],
  'creating, its groups': [create, claim, done],
  'could not be built': [create, claim, broken],
  active,
  degraded: [...active, reconciled({ status: 'DEGRADED', reason: 'r' })],
  'updating, nobody at it': [...active, patch()],
  'updating, at it': [...active, patch(), claim],
  'update failed permanently': [...active, patch(), claim, broken],
  'rebuilding, shared parts': [...active, rebuild, claim],
  'rebuilding, nodes': [...active, rebuild, claim, done, rolled('op-rebuild', 'in-progress')],
  'rebuild failed permanently': [...active, rebuild, claim, done, rolled('op-rebuild', 'failed')],
  'rebuilding at once': [...active, rebuildAtOnce, claim],
  'rebuild at once failed': [...active, rebuildAtOnce, claim, broken],
  'rebooting at once': [...active, rebootAtOnce],
  rebooting: [...active, reboot, rolled('op-reboot', 'in-progress')],
  upgrading: [...active, upgrade(), claim],
  paused: [...active, pause],
  'paused, creating': [create, claim, pause],
  'paused, rebuilding': [...active, rebuild, claim, done, pause],
  'paused, could not be built': [create, claim, broken, pause],
  deleting: [...active, remove],
  'deleting, shared parts': [...active, remove, reconciled({ deleted: true }, gone), claim],
  'deletion failed permanently': [...active, remove, reconciled({ deleted: true }, gone), claim, broken],
  deleted: [...active, remove, reconciled({ deleted: true }, gone), claim, done],
};
