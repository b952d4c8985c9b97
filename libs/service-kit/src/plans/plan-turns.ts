import { getOrCreate } from '@stave/domain';
import { RefusedError, type ServiceRequest } from '@stave/contracts';

/** The most dry runs of one project that a process computes at once. */
const MAX_AT_ONCE = 4;
/** The most dry runs of one project that wait for their turn. */
const MAX_WAITING = 60;

/** How long a dry run waits for its turn: shorter than its client waits for the answer, so that no plan is computed for nobody. */
const MAX_WAIT_MS = 5_000;

const tooMany = (): RefusedError =>
  new RefusedError({
    code: 'too-many-plans',
    kind: 'rate',
    detail: `${MAX_AT_ONCE} plans of this project are being computed, and others wait; repeat the request later`,
    retryAfterMs: 1_000,
  });

interface Turns {
  running: number;
  /** Begins the first of them; it is in the order of arrival. */
  readonly waiting: Set<() => void>;
}

/** Bounds the dry runs of each project, so that the plans of one do not delay the requests of all. */
export class PlanTurns {
  private readonly projects = new Map<string, Turns>();

  /** `maxWaitMs` is how long a dry run waits for its turn. */
  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** Computes when it is the request's turn. Throws RefusedError `too-many-plans` (429), or what `compute` throws. */
  async take<R>({ meta }: ServiceRequest, compute: () => Promise<R>): Promise<R> {
    const project = meta.actor.project ?? '';
    const turns = getOrCreate(this.projects, project, () => ({ running: 0, waiting: new Set<() => void>() }));
    if (turns.waiting.size >= MAX_WAITING) throw tooMany();
    if (turns.running >= MAX_AT_ONCE) await this.turn(turns);
    else turns.running += 1;
    try {
      return await compute();
    } finally {
      const [next] = turns.waiting;
      if (next) next();
      else if ((turns.running -= 1) === 0) this.projects.delete(project);
    }
  }

  private turn({ waiting }: Turns): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const giveUp = (): void => {
        waiting.delete(begin);
        reject(tooMany());
      };
      const timer = setTimeout(giveUp, this.maxWaitMs);
      waiting.add(begin);
    });
  }
}
