import { counter, gauge, timings, type RecordedEvent } from '@stave/platform';

const position = gauge(
  {
    name: 'stave_feed_position',
    help: 'Position in the event log up to which the service has handled events; a replica that stays behind the others does not follow',
    labels: ['service'],
  },
  'lowest',
);
const delays = timings({
  name: 'stave_feed_delay_seconds',
  help: 'Age of the last event of a batch when the service has handled it, by the clocks of two processes',
  labels: ['service'],
});
const handled = counter({
  name: 'stave_feed_events_total',
  help: 'Events that the service has handled',
  labels: ['service'],
});

/** Measures how the feed of one service follows the log. */
export class FeedMeasures {
  constructor(
    private readonly service: string,
    feed: { readonly position: number },
  ) {
    position.from({ service }, feed, each => each.position);
  }

  /** `last`: the last event of a batch that is not replayed. */
  handled(count: number, last: RecordedEvent | undefined): void {
    const { service } = this;
    handled({ service }, count);
    if (last) delays({ service }, Math.max(0, Date.now() - Date.parse(last.metadata.time)) / 1_000);
  }
}
