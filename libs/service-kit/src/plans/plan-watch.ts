import type { RequestMeta } from '@stave/contracts';
import type { DomainEvent } from '@stave/domain';

/** What is about to be appended to one stream. */
export interface PlannedWrite {
  readonly stream: string;
  /** Revision of the stream's last event; -1 for a new one. */
  readonly after: number;
  readonly events: readonly DomainEvent[];
  /** The resource before and after, where the stream is one's. */
  readonly states?: readonly [before: unknown, after: unknown];
}

/**
 * Looks at everything that a request appends. It travels in the request's EventContext: who appends with one asks it first.
 * In a dry run it takes down what would be appended; with a plan token it sees to it that nothing else is than what was planned.
 */
export interface PlanWatch {
  /** False: do not append, and go on as if it had been done. Throws RefusedError `plan-stale`. */
  admits(write: PlannedWrite): Promise<boolean>;
  /** The events as they are to be appended: operations begun by them are planned ones, where they are. */
  marked(events: readonly DomainEvent[]): Promise<readonly DomainEvent[]>;
  /** Before anything of the request is remembered. Throws RefusedError `plan-stale`. */
  verify(): Promise<void>;
  /** The request was remembered before: what it asks for may be done already. */
  repeats(): void;
}

const WATCH = Symbol('stave.plan-watch');

interface WatchedMeta extends RequestMeta {
  readonly [WATCH]?: PlanWatch;
}

/** The same request, watched. */
export const watchedBy = (meta: RequestMeta, watch: PlanWatch): WatchedMeta => ({ ...meta, [WATCH]: watch });

/** Throws where a request that must change nothing is not watched. */
export function watchOf(meta: WatchedMeta): PlanWatch | undefined {
  const watch = meta[WATCH];
  if (!watch && (meta.dryRun || meta.planToken !== undefined)) throw new Error('a planned request goes unwatched');
  return watch;
}
