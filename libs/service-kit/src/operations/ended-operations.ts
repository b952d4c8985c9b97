import { setImmediate } from 'node:timers/promises';
import type { OperationEnded } from '@stave/domain';
import type { Logger, RecordedEvent } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import type { HistoryTimes } from '../history/history-times.js';
import type { ReadModels } from '../read-models/read-models.js';
import { OperationTracker, type EndedOperation } from './operation-tracker.js';

const SWEEP_MS = 1_000;
const PAGE = 1_000;
const DAY_MS = 86_400_000;
/** Days for which operations are listed after their end. */
export const OPERATIONS_KEPT_DAYS = 30;

export interface EndedOperationsOptions {
  readonly prefix: string;
  readonly feed: Pick<Feed, 'store' | 'position'>;
  readonly readModels: Pick<ReadModels, 'shownUpTo' | 'isBuilding' | 'isOpen'>;
  readonly times: HistoryTimes;
  readonly log: Logger;
  /** Milliseconds for which operations are listed after their end. */
  readonly keptMs: number | undefined;
  /** True when the documents are in this process only, where they share the memory of the ones that are kept here. */
  readonly isLocal: boolean;
}

/**
 * Drops operations that have ended: when their time is over, or where another process stores the documents as soon as these are written.
 * They are folded again for a build of the read model.
 */
export class EndedOperations {
  private timer: NodeJS.Timeout | undefined;
  /** Operations are kept from the moment in which a build needs them until it is complete. */
  private build: 'none' | 'prepared' | 'running' = 'none';

  constructor(
    private readonly tracker: OperationTracker,
    private readonly options: EndedOperationsOptions,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the time before which an operation must have ended to be listed no more. */
  cutoff(): string {
    return new Date(Date.now() - (this.options.keptMs ?? OPERATIONS_KEPT_DAYS * DAY_MS)).toISOString();
  }

  async sweep(): Promise<void> {
    const { isLocal, readModels, log } = this.options;
    // a start may take longer than the time between two sweeps
    if (!readModels.isOpen) return;
    try {
      const shownUpTo = isLocal ? -1 : await readModels.shownUpTo();
      const before = this.cutoff();
      const isNeeded = this.isBuildRunning();
      this.tracker.drop(
        ({ finishedAt, position }) => finishedAt < before || (!isLocal && !isNeeded && position <= shownUpTo),
      );
    } catch (err) {
      log.warn({ err }, 'operations that have ended could not be removed from memory; it is tried again');
    }
  }

  /** Folds the operations that ended within the time again, so that a build of the read model has those that were dropped. */
  async refold(): Promise<void> {
    const { isLocal, prefix, feed, times } = this.options;
    if (isLocal) return;
    this.build = 'prepared';
    const before = this.cutoff();
    const found = new OperationTracker(prefix, () => undefined);
    const head = feed.position;
    for (let after = times.floor(before); ; await setImmediate()) {
      const page = await feed.store.readAll({ ...(after >= 0 && { after }), limit: PAGE });
      for (const event of page) if (event.position <= head) await this.take(found, event);
      const last = page.at(-1);
      if (!last || last.position >= head) break;
      after = last.position;
    }
    for (const operation of found.endedOperations()) if (operation.finishedAt >= before) this.keep(operation);
  }

  private keep(operation: EndedOperation): void {
    if (!this.tracker.document(operation._id)) this.tracker.keep(operation);
  }

  /** An operation that began before the time begins in the stream that its end is in. */
  private async take(found: OperationTracker, event: RecordedEvent): Promise<void> {
    const { operationId = '' } = event.data as Partial<OperationEnded['data']>;
    const isEnd = event.type === 'OperationEnded' && operationId.startsWith(this.options.prefix);
    if (isEnd && !found.document(operationId))
      for (const earlier of await this.options.feed.store.readStream(event.stream, { limit: event.revision }))
        found.apply(earlier);
    found.apply(event);
  }

  private isBuildRunning(): boolean {
    const isRunning = this.options.readModels.isBuilding('operations');
    if (isRunning) this.build = 'running';
    else if (this.build === 'running') this.build = 'none';
    return this.build !== 'none';
  }
}
