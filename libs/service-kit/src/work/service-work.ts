import {
  RefusedError,
  type ClaimReply,
  type ClaimRequest,
  type OrphanVerdictReply,
  type OrphanVerdictRequest,
  type RecoveredRequest,
  type ReportReply,
  type ReportRequest,
  type ServiceName,
} from '@stave/contracts';
import { notFound, omitUndefined } from '@stave/domain';
import type { GroupProof } from '../ring/group-proof.js';
import type { Workload } from './conductor-work.js';

/** The work of all resource types of a service that have tasks. Containers come last: they may wait for networks and volumes. */
export class ServiceWork {
  constructor(
    private readonly workloads: ReadonlyMap<string, Workload>,
    private readonly service: ServiceName,
    private readonly proof: Pick<GroupProof, 'mayWorkFor'>,
  ) {}

  /** Hands out the work of one type after the other, up to the number that is requested. Throws RefusedError `not-found` without types. */
  async claim(request: ClaimRequest): Promise<ClaimReply> {
    let reply: ClaimReply | undefined;
    for (const { board } of this.all()) {
      if (reply && (reply.ended || reply.tasks.length >= request.max)) break;
      const next: ClaimReply = await board.claim({ ...request, max: request.max - (reply?.tasks.length ?? 0) });
      reply = reply ? joined(reply, next) : next;
    }
    // `all` has thrown where there is no type
    return reply ?? { ended: false, epoch: request.epoch, tasks: [] };
  }

  /** Throws RefusedError `not-found` for a resource of another type. */
  report(request: ReportRequest): Promise<ReportReply> {
    return this.of(request.resource.type).board.report(request);
  }

  async recovered({ attempts }: RecoveredRequest): Promise<void> {
    for (const [type, { board }] of this.workloads) {
      const own = attempts.filter(attempt => attempt.resource.type === type);
      if (own.length > 0) await board.lost.recovered({ attempts: own });
    }
  }

  /** `provenGroup`: the token of the group that asks. What belongs to other groups is to be kept, whatever became of it. */
  async classify({ units }: OrphanVerdictRequest, provenGroup?: string): Promise<OrphanVerdictReply> {
    const isOfOthers = (groups: readonly string[]): boolean =>
      provenGroup !== undefined &&
      groups.length > 0 &&
      !groups.some(group => this.proof.mayWorkFor(provenGroup, group));
    const verdict = (unit: OrphanVerdictRequest['units'][number]) => {
      const workload = this.workloads.get(unit.kind);
      if (!workload || isOfOthers(workload.groupsOf(unit.resourceId))) return 'live' as const;
      return workload.classify(unit);
    };
    this.all();
    return { verdicts: await Promise.all(units.map(verdict)) };
  }

  private all(): readonly Workload[] {
    if (this.workloads.size === 0) throw this.missing('a resource type with tasks');
    const rank = ([type]: readonly [string, Workload]): number => Number(type === 'container');
    return [...this.workloads].sort((a, b) => rank(a) - rank(b)).map(([, workload]) => workload);
  }

  private of(type: string): Workload {
    const workload = this.workloads.get(type);
    if (workload) return workload;
    if (this.workloads.size === 0) throw this.missing('a resource type with tasks');
    const detail = `this service accepts reports of ${[...this.workloads.keys()].join(', ')} tasks only`;
    throw new RefusedError({ code: 'invalid-report', kind: 'invalid', detail });
  }

  private missing(what: string): RefusedError {
    return new RefusedError(notFound(`${what} in ${this.service}`));
  }
}

function joined(first: ClaimReply, second: ClaimReply): ClaimReply {
  const waits = [first.nextInMs, second.nextInMs].filter(ms => ms !== undefined);
  const held = [...(first.held ?? []), ...(second.held ?? [])];
  return {
    ended: second.ended,
    epoch: second.epoch,
    tasks: [...first.tasks, ...second.tasks],
    ...omitUndefined({
      held: held.length > 0 ? held : undefined,
      heldBack: first.heldBack ?? second.heldBack,
      nextInMs: waits.length > 0 ? Math.min(...waits) : undefined,
    }),
  };
}
