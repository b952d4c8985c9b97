import { RefusedError, streamOwners, type ServiceError, type ServiceName } from '@stave/contracts';
import { NewerEventError } from '@stave/domain';
import { countNewerEvent, type Logger, type RecordedEvent } from '@stave/platform';
import { knownVersion } from './known-events.js';

/** The code of the refusal of a request that only a replica of a newer release can answer. */
export const NEWER_RELEASE = 'newer-release';

export interface NewerEventsOptions {
  /** Absent: no stream counts as its own. */
  readonly service?: ServiceName;
  readonly log?: Pick<Logger, 'error' | 'warn'>;
}

const owners: Readonly<Record<string, ServiceName>> = streamOwners;

/**
 * What a service does about events of a newer release, which other replicas write during a rolling upgrade. An event of an unknown type in
 * a stream of another service is skipped: what this release depends on is in the types that it knows. Any other event that it cannot read
 * makes its states incomplete, so that it decides and builds nothing until it is restarted with a newer release.
 */
export class NewerEvents {
  private first: NewerEventError | undefined;
  private readonly categories = new Set<string>();
  /** Streams with an unreadable event: what follows it cannot be folded either. */
  private readonly streams = new Set<string>();
  private readonly skipped = new Set<string>();
  private readonly listeners: (() => void)[] = [];
  private isHalted = false;

  constructor(private readonly options: NewerEventsOptions = {}) {}

  /** Whether the service has met an event that it cannot read: it serves what it knows, and changes nothing any more. */
  get found(): boolean {
    return this.first !== undefined;
  }

  /** Calls the listener once, as soon as the service meets an event that it cannot read. */
  onFound(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** No event is folded any more, since the states that lack an unreadable event cannot take those that follow. */
  get halted(): boolean {
    return this.isHalted;
  }

  halt(err: unknown): void {
    this.isHalted = true;
    this.options.log?.error({ err }, 'no more events are handled: the states lack what a newer release wrote');
  }

  /** Returns whether the event, of a stream of this category, may be folded. */
  admits(event: RecordedEvent, category: string): boolean {
    if (this.isHalted) return false;
    const known = knownVersion(category, event.type);
    if (this.streams.size > 0 && this.streams.has(event.stream)) return false;
    if (event.metadata.schemaVersion <= known) return true;
    if (known === 0 && owners[category] !== this.options.service) return this.skip(event);
    this.streams.add(event.stream);
    this.stop(new NewerEventError(event.type, event.metadata.schemaVersion, known), category);
    return false;
  }

  /** Ends the commands of the service. */
  stop(error: NewerEventError, category?: string): void {
    countNewerEvent('unreadable');
    if (category !== undefined) this.categories.add(category);
    if (this.first) return;
    this.first = error;
    const { type, version, known } = error;
    this.options.log?.error(
      { type, version, known, category },
      'a newer release has written an event that this process cannot read; it serves reads only: upgrade it',
    );
    for (const listener of this.listeners) listener();
  }

  /** The reason why the process is not ready; undefined when there is none. */
  get problem(): string | undefined {
    return this.first && `${this.first.message}; upgrade this process`;
  }

  /** The answer to requests that this replica must leave to others. */
  get refusal(): ServiceError {
    const reason = this.first?.message ?? 'a newer release runs beside this one';
    const detail = `this replica answers reads only until it is upgraded: ${reason}`;
    return { code: NEWER_RELEASE, kind: 'unavailable', detail, retryAfterMs: 1_000 };
  }

  /** Throws RefusedError `newer-release` where the states of this category of streams may lack an event. */
  requireComplete(category: string): void {
    if (this.isHalted || this.categories.has(category)) throw new RefusedError(this.refusal);
  }

  /** Does something that no request asks for, unless this replica changes nothing any more. */
  async unlessFound(change: () => Promise<void>): Promise<void> {
    if (this.found) return;
    try {
      await change();
    } catch (error) {
      if (!(error instanceof NewerEventError)) throw error;
      this.stop(error);
    }
  }

  private skip({ type, metadata }: RecordedEvent): boolean {
    countNewerEvent('skipped');
    const isNew = this.skipped.size < this.skipped.add(type).size;
    if (isNew)
      this.options.log?.warn(
        { type, version: metadata.schemaVersion },
        'a newer release writes events of a type that this process does not know; they are skipped',
      );
    return true;
  }
}
