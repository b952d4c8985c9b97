import type { CommandResult } from '@stave/contracts';
import {
  clusterStream,
  decideClaim,
  reportClusterTask,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type DomainEvent,
  type ClusterTaskKind,
  type TaskOutcome,
} from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import type { ClustersHarness, Replica } from './clusters.fixture.js';

const HOLDER = { conductor: 'one', session: 's' };
const DEADLINE_MS = 15_000;

/** A cluster that is brought into one state after the other; the test appends the events of conductors and nodegroup-service. */
export class ClusterInStates {
  private constructor(
    private readonly harness: ClustersHarness,
    private readonly replica: Replica,
    readonly id: string,
  ) {}

  static async create(harness: ClustersHarness, replica: Replica, name: string): Promise<ClusterInStates> {
    const nodeGroups = [{ name: 'w', role: 'worker', flavor: { cpus: 1, memoryMb: 512 } }];
    const body = { name, driver: 'fake', nodeGroups };
    const { resource } = await harness.ask<CommandResult>(replica, 'create', body);
    return new ClusterInStates(harness, replica, resource.id);
  }

  ask(verb: string, body: object = {}): Promise<CommandResult> {
    return this.harness.ask(this.replica, verb, { id: this.id, ...body });
  }

  act = (action: string, body: object = {}): Promise<CommandResult> => this.ask('action', { action, ...body });

  claim = (): Promise<void> =>
    this.decide(({ work }) =>
      decideClaim(
        {
          taskId: work.wanted?.taskId ?? '',
          ...HOLDER,
          epoch: 0,
          now: '2030-01-01T00:00:00.000Z',
          isLive: () => true,
        },
        work,
      ),
    );

  done = (): Promise<void> => this.report('done');
  broken = (): Promise<void> => this.report({ type: 'failed', failure: 'permanent', message: 'no quota' });

  /** Appends the creation of the requested group, and these events. */
  async group(type: 'NodeGroupBecameActive' | 'NodeGroupDegraded'): Promise<void> {
    const stream = await this.harness.groupOf(this.id);
    await this.harness.append(stream, { type, data: { clusterId: this.id, reason: 'lost', failed: true } });
  }

  async empty(): Promise<void> {
    await this.harness.append(`clusterGroups-${this.id}`, { type: 'ClusterGroupsRemoved', data: {} });
    await this.harness.append(`placement-${this.id}`, { type: 'ClusterContainersRemoved', data: {} });
  }

  async state(): Promise<ClusterState> {
    const events = await this.harness.store.readStream(`cluster-${this.id}`);
    const state = events.reduce<ClusterState | undefined>(
      (s, e) => clusterStream.evolve(s, e as DomainEvent as ClusterEvent, e.metadata.time),
      undefined,
    );
    if (!state) throw new Error('the cluster does not exist');
    return state;
  }

  async until(holds: (state: ClusterState) => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!holds(await this.state())) {
      if (Date.now() > deadline) throw new Error('the cluster did not get there');
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }

  private report(outcome: TaskOutcome<ClusterTaskKind> | 'done'): Promise<void> {
    return this.decide(state => {
      const { taskId = '', attempt = 0 } = state.work.claim ?? {};
      const { kind = 'cluster.create' } = state.work.wanted ?? {};
      const said = outcome === 'done' ? doneOf(kind) : outcome;
      return reportClusterTask({ taskId, attempt, ...HOLDER, outcome: said }, state);
    });
  }

  private async decide(decision: (state: ClusterState) => Decision<ClusterEvent>): Promise<void> {
    const said = decision(await this.state());
    if (!said.ok) throw new Error(said.refusal.code);
    await this.harness.append(`cluster-${this.id}`, ...said.events);
  }
}

type Way = (cluster: ClusterInStates) => Promise<unknown>;

const active: Way = async c => {
  await c.claim();
  await c.done();
  await c.group('NodeGroupBecameActive');
  await c.until(s => s.status === 'ACTIVE');
};
const then =
  (...ways: readonly Way[]): Way =>
  async c => {
    for (const way of ways) await way(c);
  };
const port = (c: ClusterInStates): Promise<unknown> => c.ask('patch', { patch: { api: { port: 7000 } } });
const emptied: Way = c => c.empty().then(() => c.until(s => s.emptied));

/** Brings a cluster into each state, through the service. */
export const ways: Readonly<Record<string, Way>> = {
  creating: () => Promise.resolve(),
  'creating, at it': c => c.claim(),
  'could not be built': then(
    c => c.claim(),
    c => c.broken(),
  ),
  active,
  degraded: then(
    c => c.claim(),
    c => c.done(),
    c => c.group('NodeGroupDegraded'),
    c => c.until(s => s.status === 'DEGRADED'),
  ),
  updating: then(active, port, c => c.claim()),
  'update failed': then(
    active,
    port,
    c => c.claim(),
    c => c.broken(),
  ),
  rebuilding: then(
    active,
    c => c.act('rebuild'),
    c => c.claim(),
  ),
  rebooting: then(active, c => c.act('reboot')),
  paused: then(active, c => c.act('pause')),
  'paused, creating': then(
    c => c.claim(),
    c => c.act('pause'),
  ),
  deleting: then(active, c => c.ask('delete')),
  'deletion failed': then(
    active,
    c => c.ask('delete'),
    emptied,
    c => c.claim(),
    c => c.broken(),
  ),
  deleted: then(
    active,
    c => c.ask('delete'),
    emptied,
    c => c.claim(),
    c => c.done(),
  ),
};
