import { RefusedError, type ServiceRequest } from '@stave/contracts';

/** The most dry runs of one project that a process computes at once. */
const MAX_AT_ONCE = 4;

const tooMany = new RefusedError({
  code: 'too-many-plans',
  kind: 'rate',
  detail: `${MAX_AT_ONCE} plans of this project are being computed; repeat the request later`,
  retryAfterMs: 1_000,
});

/** Bounds the dry runs of each project. */
export class PlanTurns {
  private readonly running = new Map<string, number>();

  /** Throws RefusedError `too-many-plans` (429), or what `compute` throws. */
  async take<R>({ meta }: ServiceRequest, compute: () => Promise<R>): Promise<R> {
    const project = meta.actor.project ?? '';
    const before = this.running.get(project) ?? 0;
    if (before >= MAX_AT_ONCE) throw tooMany;
    this.running.set(project, before + 1);
    try {
      return await compute();
    } finally {
      const left = (this.running.get(project) ?? 1) - 1;
      if (left > 0) this.running.set(project, left);
      else this.running.delete(project);
    }
  }
}
