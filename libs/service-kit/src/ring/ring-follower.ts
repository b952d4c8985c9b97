import { Inject, Injectable } from '@nestjs/common';
import { RING_STREAM, RingView, type RingEvent } from '@stave/domain';
import type { EventStore, RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '../composition/ports.js';
import { Feed } from '../events/feed.js';

/** The ring as this process has seen it; reads the log itself when a request names a newer epoch. */
@Injectable()
export class RingFollower {
  readonly view = new RingView();
  private readonly listeners: (() => void)[] = [];

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    feed: Feed,
  ) {
    feed.onStream(RING_STREAM, event => this.apply(event));
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Resolves when the view includes this epoch, if the log has it. */
  async atLeast(epoch: number): Promise<void> {
    if (this.view.epoch < epoch) await this.refresh();
  }

  async refresh(): Promise<void> {
    for (const event of await this.store.readStream(RING_STREAM, { from: this.view.epoch + 1 })) this.apply(event);
  }

  private apply({ type, data, revision }: RecordedEvent): void {
    if (revision <= this.view.epoch) return;
    this.view.apply({ type, data } as RingEvent, revision);
    for (const listener of this.listeners) listener();
  }
}
