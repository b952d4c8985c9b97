import {
  decideClaim,
  reportClusterTask,
  reportNodeTask,
  retryDelayMs,
  type ClusterState,
  type Decision,
  type DomainEvent,
  type NodeState,
  type ClusterTaskKind,
  type NodeTaskKind,
  type ReportCommand,
  type Work,
} from '@stave/domain';
import type { Simulator } from '../kernel/simulator.js';
import type { Mutation } from '../world/mutation.js';
import { ClaimDeliveryTracker } from './claim-notes.js';
import type { Executed, Model } from './model.js';
import type { Models } from './models.js';
import { Places } from './places.js';
import type { ClaimAnswer, ClaimBody, HeldClaim, Resource, SimTask } from './sim-task.js';

/** The task boards of both services (libs/platform/src/service/task-board.ts) over the same deciders. */
export class TaskClaims {
  private readonly notes: ClaimDeliveryTracker;
  private readonly places: Places;
  private readonly picking = new Set<string>();

  constructor(
    private readonly sim: Simulator,
    private readonly models: Models,
    private readonly mutation?: Mutation,
  ) {
    this.notes = new ClaimDeliveryTracker(sim);
    this.places = new Places(models);
  }

  /** The feed brought something of this resource. */
  update(resource: Resource): void {
    this.notes.track(resource.id, this.workOf(resource).claim);
  }

  claim(body: ClaimBody, reply: (answer: ClaimAnswer) => void): void {
    const { models } = this;
    if (models.ring.epoch < body.epoch || !models.ring.isLive(body.session)) models.refreshRing();
    const { epoch } = models.ring;
    if (!models.ring.isLive(body.session)) return reply({ ended: true, epoch, tasks: [], held: [] });
    const resources = this.resources();
    const picked = resources.filter(resource => this.isOpen(resource, body)).slice(0, body.max);
    const held = resources.flatMap(resource => this.held(resource, body));
    const tasks: SimTask[] = [];
    let left = picked.length;
    if (left === 0) return reply({ ended: false, epoch, tasks, held });
    for (const resource of picked) {
      this.picking.add(resource.id);
      this.claimOne(resource, body, task => {
        this.picking.delete(resource.id);
        if (task) tasks.push(task);
        left -= 1;
        if (left === 0) reply({ ended: false, epoch, tasks, held });
      });
    }
  }

  report({ type, id }: Resource, command: ReportCommand, reply: (stale: boolean) => void): void {
    const done = (result: Executed<unknown>): void => {
      if (result.ok || result.code === 'stale') reply(!result.ok);
    };
    const meta = { session: command.session };
    if (type === 'node')
      this.models.nodes.execute(
        id,
        s => reportNodeTask(this.told(command, s.work) as ReportCommand<NodeTaskKind>, s),
        done,
        meta,
      );
    else
      this.models.clusters.execute(
        id,
        s => reportClusterTask(this.told(command, s.work) as ReportCommand<ClusterTaskKind>, s),
        done,
        meta,
      );
  }

  private resources(): Resource[] {
    const { clusters, nodes } = this.models;
    return [
      ...[...clusters.entries.keys()].map(id => ({ type: 'cluster' as const, id })),
      ...[...nodes.entries.keys()].map(id => ({ type: 'node' as const, id })),
    ];
  }

  private isOpen(resource: Resource, { conductor, session }: ClaimBody): boolean {
    const { wanted, claim } = this.workOf(resource);
    if (
      !wanted ||
      wanted.retriesExhausted ||
      this.picking.has(resource.id) ||
      this.places.ownerOf(resource) !== conductor
    )
      return false;
    if (claim && this.isLive(claim.session))
      return claim.session === session && claim.taskId === wanted.taskId && this.notes.isOld(resource.id);
    return (wanted.notBefore ?? '') <= this.sim.time;
  }

  private held(resource: Resource, { conductor, session }: ClaimBody): HeldClaim[] {
    const { claim, wanted } = this.workOf(resource);
    if (claim?.session !== session || this.mutation === 'lost-hand-out' || !this.notes.isOld(resource.id)) return [];
    const { taskId, attempt } = claim;
    const superseded = wanted?.taskId !== taskId;
    if (!superseded && this.places.ownerOf(resource) === conductor) return [];
    this.notes.put(resource.id, session);
    return [{ taskId, attempt, resource, superseded }];
  }

  private claimOne(resource: Resource, body: ClaimBody, done: (task: SimTask | undefined) => void): void {
    const { type, id } = resource;
    const { conductor, session } = body;
    const handOut = ({ wanted, claim }: Work): SimTask | undefined => {
      if (!wanted || claim?.session !== session || claim.taskId !== wanted.taskId) return undefined;
      this.notes.put(id, session);
      const { taskId, kind, generation } = wanted;
      return { taskId, kind, generation, attempt: claim.attempt, resource };
    };
    const decide = ({ work }: { readonly work: Work }): Decision<DomainEvent> => {
      const isLive = (s: string): boolean => (s === session ? this.models.ring.isLive(s) : this.isLive(s));
      const { epoch } = this.models.ring;
      const taskId = work.wanted?.taskId ?? '';
      const seen = this.mutation === 'ring-behind' && work.claim ? { ...work, claim: { ...work.claim, epoch } } : work;
      return decideClaim({ taskId, conductor, session, epoch, now: this.sim.time, isLive }, seen);
    };
    const execute = <S extends { readonly work: Work }>(model: Model<S>): void =>
      model.execute(id, decide, result => done(result.ok ? handOut(result.state.work) : undefined));
    if (type === 'node') execute(this.models.nodes);
    else execute(this.models.clusters);
  }

  private isLive(session: string): boolean {
    return this.mutation !== 'claim-check' && this.models.ring.isLive(session);
  }

  private workOf({ type, id }: Resource): Work {
    const state: NodeState | ClusterState | undefined =
      type === 'node' ? this.models.nodes.get(id) : this.models.clusters.get(id);
    return state?.work ?? {};
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
