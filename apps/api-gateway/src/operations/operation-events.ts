import { Injectable } from '@nestjs/common';
import { ok, type Answer } from '../http/answer.js';
import { param, type Call } from '../http/call.js';
import { visibleTo } from '../events/event-filter.js';
import { EventPages } from '../events/event-pages.js';
import { EventPositions } from '../events/event-positions.js';
import { PageCursor, pageLimit } from '../events/page-query.js';
import { OperationQueries } from './operation-queries.js';

/** The difference between clocks of services: the first event can have an earlier time than its operation. */
const CLOCK_SKEW_MS = 5000;

function timeIn(data: unknown, member: 'createdAt' | 'finishedAt'): number | undefined {
  const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, member) : undefined;
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Reads the events with the id of an operation from the log, between the start and the end of the operation. */
@Injectable()
export class OperationEvents {
  constructor(
    private readonly operations: OperationQueries,
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
  ) {}

  async page(call: Call): Promise<Answer> {
    const id = param(call);
    await this.positions.reached(call.meta.minPosition);
    const { data } = await this.operations.ask(id, call.meta);
    const cursor = new PageCursor({ operation: id });
    const created = timeIn(data, 'createdAt');
    const begin = created === undefined ? -1 : await this.positions.at(new Date(created - CLOCK_SKEW_MS).toISOString());
    const finished = timeIn(data, 'finishedAt');
    const visible = visibleTo(call.meta.actor);
    const page = await this.pages.ofLog(
      cursor.begin(call.query) ?? begin,
      pageLimit(call.query),
      event => event.metadata.operationId === id && visible(event),
      event => finished !== undefined && Date.parse(event.metadata.time) > finished + CLOCK_SKEW_MS,
    );
    return ok(cursor.page(page));
  }
}
