import { setImmediate } from 'node:timers/promises';
import { EventStoreUnavailableError, type AppendResult } from '../event-store.port.js';
import { CommitGroup, type AppendOutcome, type AppendRequest } from './commit-group.js';
import type { LogMedium } from './log-medium.js';
import { decodeHeader } from './frame.codec.js';
import type { EventIndex } from './event-index.js';

const MAX_GROUP_BYTES = 8 * 1024 * 1024;
const MAX_GROUP_APPENDS = 4096;

interface Job {
  readonly request: AppendRequest;
  readonly resolve: (result: AppendResult) => void;
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
    private readonly onCommit: (frame: Buffer, offset: number) => void,
  ) {}

  append(request: AppendRequest): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.queue.push({ request, resolve, reject });
      this.running ??= this.run();
    });
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
    for (const { request } of this.queue) {
      if (count > 0 && (bytes > MAX_GROUP_BYTES || count >= MAX_GROUP_APPENDS)) break;
      bytes += request.events.reduce((sum, event) => sum + event.length, 0);
      count++;
    }
    return this.queue.splice(0, count);
  }

  private async commit(jobs: readonly Job[]): Promise<void> {
    try {
      if (this.medium.failed) throw this.medium.failed;
      const offset = this.medium.size;
      const group = new CommitGroup(this.index, offset);
      const outcomes = jobs.map(job => group.add(job.request));
      if (group.frames.length > 0) await this.medium.append(group.frames);
      this.indexFrames(group.frames, offset);
      jobs.forEach((job, i) => settle(job, outcomes[i]));
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
      this.onCommit(frame, offset);
      offset += frame.length;
    }
  }
}

function settle(job: Job, outcome: AppendOutcome | undefined): void {
  if (outcome && 'result' in outcome) job.resolve(outcome.result);
  else job.reject(outcome?.conflict ?? new Error('the append was not decided'));
}
