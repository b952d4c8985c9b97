import { setTimeout as pause } from 'node:timers/promises';
import type { TimeMark } from '@stave/contracts';
import type { EventStore, Logger, RecordedEvent } from '@stave/platform';
import type { LeaderTask } from '../reconcile/leader-tasks.js';
import { latestTime } from './latest-time.js';
import type { TimeMarkStore } from './time-mark-store.js';

const EVENTS_PER_MARK = 1_000;
/** Events that are read at once: few, because the process does nothing else while it decodes them. */
const PAGE = 250;
const LOOK_MS = 2_000;
const RETRY_MS = 5_000;
/** So many times as long as it reads it leaves the process to others. */
const REST = 9;

export interface LogMarkerOptions {
  /** The log as written. */
  readonly eventStore: EventStore;
  readonly marks: TimeMarkStore;
  readonly log: Logger;
  /** Milliseconds between two checks for new events; default 2,000. */
  readonly lookMs?: number;
  /** Milliseconds until marking is tried again after a failure; default 5,000. */
  readonly retryMs?: number;
  /** The events from one mark to the next; default 1,000. Marks of other distances are as true. */
  readonly eventsPerMark?: number;
}

/** How far the log was read: the latest time up to a position, and the number of events since the mark before. */
interface Reached extends TimeMark {
  readonly since: number;
}

const START: TimeMark = { position: -1, latest: '' };

/** Marks the log, from the last mark on. Reads each event once, in a tenth of the time. */
export class LogMarker implements LeaderTask {
  private stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: LogMarkerOptions) {}

  start(): void {
    if (this.running) return;
    this.stopping = new AbortController();
    this.running = this.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.running = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.follow(signal);
      } catch (err) {
        if (!signal.aborted)
          this.options.log.warn({ err }, 'the times of the event log are not marked; it is tried again');
        await rest(this.options.retryMs ?? RETRY_MS, signal);
      }
    }
  }

  /** Resolves when it is stopped, or when marks were lost and must be made again. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { marks, lookMs = LOOK_MS, eventsPerMark = EVENTS_PER_MARK } = this.options;
    let mark = await marks.resume();
    let reached: Reached = { ...(mark ?? START), since: 0 };
    while (!signal.aborted && (!mark || (await marks.holds(mark)))) {
      const begun = performance.now();
      const limit = Math.min(PAGE, eventsPerMark - reached.since);
      const page = await this.next(reached, limit);
      const last = page.at(-1);
      if (last) reached = after(reached, page, last);
      if (last && reached.since >= eventsPerMark) {
        mark = { position: reached.position, latest: reached.latest };
        await marks.add(mark, last);
        reached = { ...mark, since: 0 };
      }
      await rest(page.length < limit ? lookMs : REST * (performance.now() - begun), signal);
    }
  }

  /** A store with the events of others examines all of these after the last own one, unless it is asked for its head first. */
  private async next({ position }: Reached, limit: number): Promise<readonly RecordedEvent[]> {
    const { eventStore } = this.options;
    return (await eventStore.head()) > position ? eventStore.readAll({ after: position, limit }) : [];
  }
}

function after({ latest, since }: Reached, page: readonly RecordedEvent[], { position }: RecordedEvent): Reached {
  return { position, latest: latestTime(latest, page), since: since + page.length };
}

/** Resolves after the time, or as soon as the signal is aborted. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
