import { IsIntegerIn } from '@stave/platform';
import { EventStoreEnvironment } from './event-store.config.js';

/** The environment variables of `npm run event-store`. */
export class EventStoreServerEnvironment extends EventStoreEnvironment {
  /** The live events that a subscription may have undelivered before it is ended; 0: any number. EventStoreDB has 32. */
  @IsIntegerIn(0, 1_000_000, 'events')
  LIVE_BUFFER = 0;

  /** The milliseconds between two deliveries to a live subscription; events that are written meanwhile go together. */
  @IsIntegerIn(0, 1_000, 'milliseconds')
  LIVE_WINDOW_MS = 50;
}
