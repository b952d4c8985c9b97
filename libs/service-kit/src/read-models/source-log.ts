import type { EventStore, RecordedEvent } from '@stave/platform';

/** One event of a log. No other log has it. */
export type EventMark = Pick<RecordedEvent, 'stream' | 'revision' | 'id'>;

/** Returns the key of a bookkeeping document of the read models that were made from this log. */
export const keyIn = (log: string, key: string): string => `${key}@${log}`;

export const isKeyIn = (log: string, key: string): boolean => key.endsWith(`@${log}`);

/** The log that read models are made from. */
export class SourceLog {
  private noted: EventMark | undefined;

  /** `identity`: the id of the installation. */
  constructor(
    readonly identity: string,
    private readonly store: EventStore,
  ) {}

  /** The last event that this process has handled since its start. */
  get last(): EventMark | undefined {
    return this.noted;
  }

  note({ stream, revision, id }: EventMark): void {
    this.noted = { stream, revision, id };
  }

  async has({ stream, revision, id }: EventMark): Promise<boolean> {
    const [found] = await this.store.readStream(stream, { from: revision, limit: 1 });
    return found?.id === id;
  }

  head(): Promise<number> {
    return this.store.head();
  }
}
