import { counter } from '@stave/platform';

/** Why an event stream ended; `client`: it has closed the connection. */
export type StreamEnd = 'client' | 'slow-reader' | 'credential-ended' | 'log-unreadable' | 'closing';

const ends = counter({
  name: 'stave_event_stream_ends_total',
  help: 'Event streams that ended; those cut for their reader resume after the last event that it has read',
  labels: ['reason'],
});

export const countStreamEnd = (reason: StreamEnd): void => ends({ reason });
