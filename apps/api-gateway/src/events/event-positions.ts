import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { setTimeout } from 'node:timers/promises';
import { EVENT_STORE } from '../gateway.tokens.js';
import { invalid } from '../problems/refusals.js';
import { EventHub } from './event-hub.js';
import { TimeIndex } from './time-index.js';

const WAIT_MS = 5_000;
const LOOK_MS = 50;

const behind = (): RefusedError => {
  const detail = 'the event log has not reached this position; repeat the request later';
  return new RefusedError({ code: 'log-behind', kind: 'unavailable', detail });
};

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** Parses the start of a stream or a page. */
@Injectable()
export class EventPositions {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly hub: EventHub,
    private readonly times: TimeIndex,
  ) {}

  /** Returns the position to read after; -1 means from the first event. Throws RefusedError (400) that names `pointer`. */
  async parse(text: string, pointer: string): Promise<number> {
    if (text === 'start') return -1;
    if (text === 'now') return this.eventStore.head();
    if (isTime(text)) return this.times.positionBefore(new Date(text).toISOString());
    const position = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
    if (Number.isSafeInteger(position) && (await this.isReached(position))) return position;
    const detail = 'must be start, now, a position of this event log or an ISO 8601 time';
    throw invalid('unknown-position', [{ pointer, code: 'unknown-position', detail }]);
  }

  /** Resolves when the log has reached the position. Throws RefusedError (503) after 5 s. */
  async reached(position = -1): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (!(await this.isReached(position))) {
      if (performance.now() >= until) throw behind();
      await setTimeout(LOOK_MS);
    }
  }

  private async isReached(position: number): Promise<boolean> {
    return position <= this.hub.position || position <= (await this.eventStore.head());
  }
}
