import { RING_STREAM, RingView, type RingEvent } from '@stave/domain';
import type { EventStore } from '@stave/platform';
import type { Feed } from '../events/feed.js';

/** The ring as this process has seen it; reads the log itself when a request names a newer epoch. */
export class RingFollower {
  readonly view = new RingView();
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly feed: Feed,
  ) {
    feed.onStream(RING_STREAM, event =>
      this.apply({ type: event.type, data: event.data } as RingEvent, event.revision),
    );
  }

  /** True while the process replays the log. */
  get replaying(): boolean {
    return this.feed.replaying;
  }

  /** True when the process started from a snapshot instead of replaying the complete log. */
  get resumed(): boolean {
    return this.feed.isResumed;
  }

  onReplayed(listener: () => void): void {
    this.feed.onReplayed(listener);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Resolves when this epoch, if the log has it, is part of the view. */
  async atLeast(epoch: number): Promise<void> {
    if (this.view.epoch < epoch) await this.refresh();
  }

  async refresh(): Promise<void> {
    for (const event of await this.store.readStream(RING_STREAM, { from: this.view.epoch + 1 })) {
      this.apply({ type: event.type, data: event.data } as RingEvent, event.revision);
    }
  }

  private apply(event: RingEvent, revision: number): void {
    if (revision <= this.view.epoch) return;
    this.view.apply(event, revision);
    for (const listener of this.listeners) listener();
  }
}
