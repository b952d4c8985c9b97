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
