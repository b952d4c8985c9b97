import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { setTimeout } from 'node:timers/promises';
import { EVENT_STORE } from '../gateway.tokens.js';
import { invalid } from '../problems/refusals.js';
import { EventHub } from './event-hub.js';
import { TimeIndex } from './time-index.js';

const bad = (pointer: string): RefusedError => {
  const detail = 'must be start, now, a position of this event log or an ISO 8601 time';
  return invalid('unknown-position', [{ pointer, code: 'unknown-position', detail }]);
};

const WAIT_MS = 5_000;
const LOOK_MS = 50;

const behind = (): RefusedError =>
  new RefusedError({
    code: 'log-behind',
    kind: 'unavailable',
    detail: 'the event log has not reached this position; repeat the request later',
    retryAfterMs: 1_000,
  });

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** Parses the start of a stream or a page. */
@Injectable()
export class EventPositions {
  private readonly times: TimeIndex;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly hub: EventHub,
  ) {
    this.times = new TimeIndex(eventStore);
  }

  /** Returns the position to read after; -1 means from the first event. Throws RefusedError (400) that names `pointer`. */
  async parse(text: string, pointer: string): Promise<number> {
    if (text === 'start') return -1;
    if (text === 'now') return this.eventStore.head();
    if (/^[0-9]{1,16}$/.test(text)) return this.known(Number(text), pointer);
    if (isTime(text)) return this.times.positionBefore(new Date(text).toISOString());
    throw bad(pointer);
  }

  /** Resolves when the log has reached the position. Throws RefusedError (503) after 5 s. */
  async reached(position = -1): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (!(await this.isReached(position))) {
      if (performance.now() >= until) throw behind();
      await setTimeout(LOOK_MS);
    }
  }

  at(time: string): Promise<number> {
    return this.times.positionBefore(time);
  }

  private async isReached(position: number): Promise<boolean> {
    return position <= this.hub.position || position <= (await this.eventStore.head());
  }

  private async known(position: number, pointer: string): Promise<number> {
    if (Number.isSafeInteger(position) && (await this.isReached(position))) return position;
    throw bad(pointer);
  }
}
