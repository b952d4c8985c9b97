import { setImmediate } from 'node:timers/promises';
import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type ExpectedRevision,
} from '../event-store.port.js';
import { ID_BYTES } from './event.codec.js';
import type { EventIndex } from './index/event-index.js';
import { decodeHeader, encodeFrame } from './frame.codec.js';
import type { LogMedium } from './log-medium.js';

const MAX_GROUP_BYTES = 8 * 1024 * 1024;
const MAX_GROUP_APPENDS = 4096;

/** One append, with its events encoded. */
export interface AppendRequest {
  readonly stream: string;
  readonly events: readonly Buffer[];
  readonly expected: ExpectedRevision;
}

type AppendOutcome = AppendResult | WrongExpectedRevisionError;

/** Appends that one write makes durable, each checked against the log and its predecessors in the group. */
class CommitGroup {
  readonly frames: Buffer[] = [];
  private readonly revisions = new Map<string, number>();
  private readonly places = new Map<string, AppendResult>();
  private nextPosition: number;

  /** `durable` is the length of the log on disk. */
  constructor(
    private readonly index: EventIndex,
    private readonly durable: number,
  ) {
    this.nextPosition = index.size;
  }

  /** Decides appends of which each needs those before it. The outcome, the first refusal if any, is valid once the group is durable. */
  addAll(requests: readonly AppendRequest[]): readonly AppendResult[] | WrongExpectedRevisionError {
    const results: AppendResult[] = [];
    for (const request of requests) {
      const outcome = this.add(request);
      if (outcome instanceof WrongExpectedRevisionError) return outcome;
      results.push(outcome);
    }
    return results;
  }

  private add(request: AppendRequest): AppendOutcome {
    const { stream, expected } = request;
    const stored = this.index.lastRevision(stream);
    const current = this.revisions.get(stream) ?? stored;
    const wanted = expected === 'any' ? current : expected === 'no_stream' ? -1 : expected;
    const places = request.events.map(event => this.locate(stream, event, stored >= 0));
    const earlier = earlierResult(places);
    const repeats = earlier && (expected === 'any' || wanted === current || wanted === earlier.before);
    if (earlier && repeats) return { revision: earlier.revision, position: earlier.position };
    if (wanted === current && places.every(place => place === undefined)) return this.write(request, current + 1);
    return new WrongExpectedRevisionError(stream, expected, current < 0 ? 'no_stream' : current);
  }

  private write({ stream, events }: AppendRequest, firstRevision: number): AppendResult {
    const firstPosition = this.nextPosition;
    this.frames.push(encodeFrame({ stream, firstRevision, firstPosition, durable: this.durable, events }));
    events.forEach((event, i) => {
      this.places.set(placeKey(stream, event), { revision: firstRevision + i, position: firstPosition + i });
    });
    this.nextPosition += events.length;
    const revision = firstRevision + events.length - 1;
    this.revisions.set(stream, revision);
    return { revision, position: this.nextPosition - 1 };
  }

  private locate(stream: string, event: Buffer, isStored: boolean): AppendResult | undefined {
    const inGroup = this.places.get(placeKey(stream, event));
    return inGroup ?? (isStored ? this.index.locate(stream, event) : undefined);
  }
}

function placeKey(stream: string, event: Buffer): string {
  return event.toString('latin1', 0, ID_BYTES) + stream;
}

/** Returns the place of the last event when all of them are stored already, in consecutive order. */
function earlierResult(places: readonly (AppendResult | undefined)[]): (AppendResult & { before: number }) | undefined {
  const first = places[0];
  const last = places.at(-1);
  if (!first || !last) return undefined;
  const whole = places.every((place, i) => place?.revision === first.revision + i);
  return whole ? { ...last, before: first.revision - 1 } : undefined;
}

interface Job {
  readonly requests: readonly AppendRequest[];
  readonly resolve: (results: readonly AppendResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Group commit: appends that arrive during a write to disk wait and share the next write. */
export class GroupCommitter {
  private queue: Job[] = [];
  private running: Promise<void> | undefined;

  /** `onCommit` is called with every frame that became durable, in order. */
  constructor(
    private readonly medium: LogMedium,
    private readonly index: EventIndex,
    private readonly onCommit: (frame: Buffer, offset: number, count: number) => void,
  ) {}

  /** Appends in order, each only if those before it were accepted. Resolves to their results when they are durable. */
  append(requests: readonly AppendRequest[]): Promise<readonly AppendResult[]> {
    return new Promise((resolve, reject) => {
      this.queue.push({ requests, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Rejects while the medium has no room. Running appends show it, else the medium tries. */
  async requireRoom(): Promise<void> {
    if (!this.running) {
      const probe = this.medium.probe();
      this.running = probe.then(() => this.run());
      await probe;
    }
    const reason = this.medium.failed ?? this.medium.full;
    if (reason) throw reason;
  }

  /** Resolves when no append is queued or running. */
  async drained(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    await setImmediate();
    while (this.queue.length > 0) {
      await this.commit(this.take());
      await setImmediate(); // callers whose append was just acknowledged may append again in this turn and join the next group
    }
    this.running = undefined;
  }

  private take(): Job[] {
    let bytes = 0;
    let count = 0;
    for (const { requests } of this.queue) {
      if (count > 0 && (bytes > MAX_GROUP_BYTES || count >= MAX_GROUP_APPENDS)) break;
      for (const { events } of requests) bytes += events.reduce((sum, event) => sum + event.length, 0);
      count++;
    }
    return this.queue.splice(0, count);
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    try {
      await this.medium.prepare(this.index.size);
      if (this.medium.failed) throw this.medium.failed;
      const offset = this.medium.size;
      const group = new CommitGroup(this.index, offset);
      const outcomes = jobs.map(job => group.addAll(job.requests));
      if (group.frames.length > 0) await this.medium.append(group.frames);
      this.indexFrames(group.frames, offset);
      for (const [i, outcome] of outcomes.entries())
        if (outcome instanceof WrongExpectedRevisionError) jobs[i]?.reject(outcome);
        else jobs[i]?.resolve(outcome);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const error = new EventStoreUnavailableError(`cannot write ${this.medium.name}: ${reason}`, { cause });
      for (const job of jobs) job.reject(error);
    }
  }

  private indexFrames(frames: readonly Buffer[], start: number): void {
    let offset = start;
    for (const frame of frames) {
      const header = decodeHeader(frame);
      if (header) this.index.addFrame(header, frame, offset);
      this.onCommit(frame, offset, header?.count ?? 0);
      offset += frame.length;
    }
  }
}
