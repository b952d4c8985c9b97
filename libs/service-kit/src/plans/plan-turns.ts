import { getOrCreate } from '@stave/domain';
import { RefusedError, type ServiceRequest } from '@stave/contracts';

/** The most dry runs of one project that a process computes at once. */
const MAX_AT_ONCE = 4;
/** The most dry runs of one project that wait for their turn. */
const MAX_WAITING = 60;

const tooMany = new RefusedError({
  code: 'too-many-plans',
  kind: 'rate',
  detail: `${MAX_AT_ONCE} plans of this project are being computed and ${MAX_WAITING} wait; repeat the request later`,
  retryAfterMs: 1_000,
});

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/** Bounds the dry runs of each project, so that the plans of one do not delay the requests of all. */
export class PlanTurns {
  private readonly projects = new Map<string, Turns>();

  /** Computes when it is the request's turn. Throws RefusedError `too-many-plans` (429), or what `compute` throws. */
  async take<R>({ meta }: ServiceRequest, compute: () => Promise<R>): Promise<R> {
    const project = meta.actor.project ?? '';
    const turns = getOrCreate(this.projects, project, () => ({ running: 0, waiting: [] }));
    if (turns.waiting.length >= MAX_WAITING) throw tooMany;
    if (turns.running >= MAX_AT_ONCE) await new Promise<void>(begin => turns.waiting.push(begin));
    else turns.running += 1;
    try {
      return await compute();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if ((turns.running -= 1) === 0) this.projects.delete(project);
    }
  }
}
