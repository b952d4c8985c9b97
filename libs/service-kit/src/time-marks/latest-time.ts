import type { RecordedEvent } from '@stave/platform';

/** Returns the latest of a time and those of some events. */
export const latestTime = (before: string, events: readonly RecordedEvent[]): string =>
  events.reduce((latest, { metadata }) => (metadata.time > latest ? metadata.time : latest), before);
