import {
  decideClaim,
  reportClusterTask,
  reportNodeTask,
  retryDelayMs,
  type ClusterState,
  type Decision,
  type DomainEvent,
  type NodeState,
  type ReportCommand,
  type Work,
} from '@stave/domain';
import type { Simulator } from '../kernel/simulator.js';
import type { CloudUnit } from '../world/cloud.js';
import type { Mutation } from '../world/mutation.js';
import type { Executed, Model } from './model.js';
import type { Models } from './models.js';

export interface SimTask {
  readonly taskId: string;
  readonly kind: string;
  readonly resource: { readonly type: CloudUnit['kind']; readonly id: string };
  readonly generation: number;
  readonly attempt: number;
}

export interface ClaimBody {
  readonly conductor: string;
  readonly session: string;
  readonly max: number;
}

/** `stop`: claims of this session that are not its to work on any more; what it does not know of, it gives back. */
export interface ClaimAnswer {
  readonly tasks: readonly SimTask[];
  readonly stop: readonly SimTask[];
}

export const DRIVER = { name: 'fake', version: '1.0.0' };
const REHAND_MS = 5_000;

/** The task board of both services over the same deciders. */
export class TaskDesk {
  private readonly handedOut = new Map<string, number>();

  constructor(
    private readonly sim: Simulator,
    private readonly models: Models,
    private readonly mutation?: Mutation,
  ) {}

  /** Undefined: the session is over. */
  claim(body: ClaimBody, reply: (answer: ClaimAnswer | undefined) => void): void {
    if (!this.models.refreshRing().isLive(body.session)) return reply(undefined);
    const resources = this.resources();
    const picked = resources.filter(resource => this.isOpen(resource, body)).slice(0, body.max);
    const stop = resources.flatMap(resource => this.foreign(resource, body));
    if (picked.length === 0) return reply({ tasks: [], stop });
    const tasks: SimTask[] = [];
    let left = picked.length;
    for (const resource of picked) {
      this.claimOne(resource, body, task => {
        if (task) tasks.push(task);
        left -= 1;
        if (left === 0) reply({ tasks, stop });
      });
    }
  }

  private resources(): SimTask['resource'][] {
    const { clusters, nodes } = this.models;
    return [
      ...[...clusters.entries.keys()].map(id => ({ type: 'cluster' as const, id })),
      ...[...nodes.entries.keys()].map(id => ({ type: 'node' as const, id })),
    ];
  }

  /** Its hand-out may have been lost before the task was superseded or moved: then nobody would ever end this claim. */
  private foreign(resource: SimTask['resource'], { conductor, session }: ClaimBody): SimTask[] {
    const { claim, wanted } = this.stateOf(resource.type, resource.id)?.work ?? {};
    if (!claim || claim.session !== session || this.mutation === 'lost-hand-out') return [];
    const own = wanted?.taskId === claim.taskId && this.ownerOf(resource) === conductor;
    const { taskId, attempt } = claim;
    return own ? [] : [{ taskId, attempt, kind: '', generation: 0, resource }];
  }

  private ownerOf({ type, id }: SimTask['resource']): string | undefined {
    const { ring } = this.models;
    const group = this.conductorGroup(type, id);
    return group === undefined ? undefined : ring.ownerOf(ring.keyFor(group, DRIVER.name), DRIVER.version, id);
  }

  report(type: CloudUnit['kind'], id: string, command: ReportCommand, reply: (stale: boolean) => void): void {
    const done = (result: Executed<unknown>): void => {
      if (result.ok || result.code === 'stale') reply(!result.ok);
    };
    const meta = { session: command.session };
    if (type === 'node') this.models.nodes.execute(id, s => reportNodeTask(this.told(command, s.work), s), done, meta);
    else this.models.clusters.execute(id, s => reportClusterTask(this.told(command, s.work), s), done, meta);
  }

  private isOpen({ type, id }: SimTask['resource'], { conductor, session }: ClaimBody): boolean {
    const { wanted, claim }: Work = this.stateOf(type, id)?.work ?? {};
    if (!wanted || wanted.parked || this.ownerOf({ type, id }) !== conductor) return false;
    if (claim && this.isLive(claim.session)) {
      if (claim.session !== session || claim.taskId !== wanted.taskId) return false;
      return (this.handedOut.get(id) ?? 0) + REHAND_MS <= this.sim.now;
    }
    return (wanted.notBefore ?? '') <= this.sim.time;
  }

  private claimOne(resource: SimTask['resource'], body: ClaimBody, done: (task: SimTask | undefined) => void): void {
    const { type, id } = resource;
    const { conductor, session } = body;
    const handOut = ({ wanted, claim }: Work): SimTask | undefined => {
      if (!wanted || claim?.session !== session || claim.taskId !== wanted.taskId) return undefined;
      this.handedOut.set(id, this.sim.now);
      const { taskId, kind, generation } = wanted;
      return { taskId, kind, generation, attempt: claim.attempt, resource };
    };
    const decide = ({ work }: { readonly work: Work }): Decision<DomainEvent> => {
      const isLive = (s: string): boolean => s === session || this.isLive(s);
      const { epoch } = this.models.ring;
      return decideClaim(
        { taskId: work.wanted?.taskId ?? '', conductor, session, epoch, now: this.sim.time, isLive },
        work,
      );
    };
    const execute = <S extends { readonly work: Work }>(model: Model<S>): void =>
      model.execute(id, decide, result => done(result.ok ? handOut(result.state.work) : undefined));
    if (type === 'node') execute(this.models.nodes);
    else execute(this.models.clusters);
  }

  private isLive(session: string): boolean {
    return this.mutation !== 'claim-check' && this.models.ring.isLive(session);
  }

  private stateOf(type: CloudUnit['kind'], id: string): NodeState | ClusterState | undefined {
    return type === 'node' ? this.models.nodes.get(id) : this.models.clusters.get(id);
  }

  private conductorGroup(type: CloudUnit['kind'], id: string): string | undefined {
    if (type === 'cluster') return this.models.clusters.get(id)?.spec?.conductorGroup;
    const { clusterId, nodeGroupId } = this.models.nodes.get(id)?.declared ?? {};
    const cluster = this.models.clusters.get(clusterId ?? '');
    if (!cluster?.built) return undefined;
    return this.models.groups.get(nodeGroupId ?? '')?.spec?.conductorGroup ?? cluster.spec?.conductorGroup;
  }

  private told(command: ReportCommand, work: Work): ReportCommand {
    const { claim } = work;
    const base = this.mutation === 'report-equality' && claim ? { ...command, ...claim } : command;
    const { outcome } = base;
    if (outcome.type !== 'failed') return base;
    const delay = retryDelayMs(outcome.failure, (work.wanted?.failures ?? 0) + 1, this.sim.random.next());
    if (delay === undefined) return base;
    return { ...base, outcome: { ...outcome, retryAt: new Date(this.sim.now + delay).toISOString() } };
  }
}
