import { RING_STREAM, RingView, type RingEvent } from '@stave/domain';
import type { EventStore } from '@stave/platform';
import type { Feed } from '../events/feed.js';

/** The ring as this process has seen it; asks the log itself when somebody knows a newer epoch. */
export class RingFollower {
  readonly view = new RingView();
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly feed: Feed,
  ) {
    feed.on(RING_STREAM, event => this.apply({ type: event.type, data: event.data } as RingEvent, event.revision));
  }

  /** True while its process goes through the history. */
  get replaying(): boolean {
    return this.feed.replaying;
  }

  /** True when the history was not gone through, but taken up where it was left. */
  get resumed(): boolean {
    return this.feed.isResumed;
  }

  onReplayed(listener: () => void): void {
    this.feed.onReplayed(listener);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Has folded at least this epoch when it resolves, if the log has it. */
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
