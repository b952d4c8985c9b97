import { cloudEvent, type RecordedEvent } from '@stave/platform';

/** An event with its wire format, which is built when the first reader needs it and shared by all readers. */
export class EventFrame {
  private built: string | undefined;

  constructor(
    readonly event: RecordedEvent,
    private readonly source: string,
  ) {}

  get text(): string {
    this.built ??= `id: ${this.event.position}\ndata: ${JSON.stringify(cloudEvent(this.event, this.source))}\n\n`;
    return this.built;
  }
}

/** Frames in the order of their positions, with their bytes, which all readers of the batch share. */
export class EventBatch {
  private encoded: Buffer | undefined;

  constructor(readonly frames: readonly EventFrame[]) {}

  get bytes(): Buffer {
    this.encoded ??= Buffer.from(this.frames.map(({ text }) => text).join(''));
    return this.encoded;
  }

  /** Returns the part of the batch that is after the position, which is usually all of it. */
  after(position: number): EventBatch {
    const first = this.frames.findIndex(({ event }) => event.position > position);
    if (first === 0) return this;
    return new EventBatch(first < 0 ? [] : this.frames.slice(first));
  }
}
