import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { UnknownPositionError, type EventStore } from '@stave/platform';
import { isTime } from '@stave/service-kit';
import { setTimeout } from 'node:timers/promises';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { EVENT_STORE } from '../gateway.tokens.js';
import { invalid } from '../problems/refusals.js';
import { TimeIndex } from './time-index.js';

const WAIT_MS = 5_000;
const LOOK_MS = 50;

const behind = (): RefusedError => {
  const detail = 'the event log has not reached this position; repeat the request later';
  return new RefusedError({ code: 'log-behind', kind: 'unavailable', detail });
};

@Injectable()
export class EventPositions {
  /** A position that the log has reached. */
  private known = -1;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly times: TimeIndex,
    private readonly keys: KeyLifetimes,
  ) {}

  /** Returns the position to read after; -1 means from the first event. Throws RefusedError (400) that names `pointer`. */
  async parse(text: string, pointer: string): Promise<number> {
    if (text === 'start') return -1;
    if (text === 'now') return this.eventStore.head();
    if (isTime(text)) return this.times.positionBefore(new Date(text).toISOString());
    const position = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
    if (Number.isSafeInteger(position) && (await this.isReached(position)) && (await this.isReadable(position)))
      return position;
    const detail = 'must be start, now, a position of this event log or an ISO 8601 time';
    throw invalid('unknown-position', [{ pointer, code: 'unknown-position', detail }]);
  }

  /** Resolves when the log has reached the position. Throws RefusedError: 503 after 5 s, 401 when the key is revoked before. */
  reached({ minPosition, actor }: RequestMeta): Promise<void> {
    return this.keys.during(actor, this.reach(minPosition));
  }

  private async reach(position = -1): Promise<void> {
    const until = performance.now() + WAIT_MS;
    while (!(await this.isReached(position))) {
      if (performance.now() >= until) throw behind();
      await setTimeout(LOOK_MS);
    }
  }

  /** EventStoreDB reads only from positions of events. */
  private async isReadable(position: number): Promise<boolean> {
    try {
      await this.eventStore.readAll({ after: position, limit: 1 });
      return true;
    } catch (error) {
      if (error instanceof UnknownPositionError) return false;
      throw error;
    }
  }

  private async isReached(position: number): Promise<boolean> {
    if (position > this.known) this.known = Math.max(this.known, await this.eventStore.head());
    return position <= this.known;
  }
}
