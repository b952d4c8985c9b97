import { Controller, Req, Res } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { FastifyReply } from 'fastify';
import { eventFilter, type EventSelection } from './event-filter.js';
import { EventPages } from './event-pages.js';
import { EventPositions } from './event-positions.js';
import { EventReferences } from './event-references.js';
import { EventStreams } from './event-streams.js';
import { PageCursor, pageLimit } from './page-query.js';
import { eventsRoute } from '../routes/operation.routes.js';
import type { GatewayRequest } from '../http/call.js';
import { FromCall, type Call } from '../http/call.js';
import { Handles } from '../http/route.decorator.js';

const onlyWithSince = (name: string): RefusedError => {
  const detail = `${name} requires since`;
  const errors = [{ pointer: `?${name}`, code: 'unknown-parameter', detail }];
  return new RefusedError({ code: 'validation-failed', kind: 'invalid', detail, errors });
};

@Controller()
export class EventsController {
  constructor(
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
    private readonly references: EventReferences,
    private readonly streams: EventStreams,
  ) {}

  /** Answers a page when the query has `since`; otherwise the response stays open as an event stream. */
  @Handles(eventsRoute)
  async events(@FromCall() call: Call, @Req() request: GatewayRequest, @Res() reply: FastifyReply): Promise<void> {
    const selection = await this.references.selection(call);
    const since = call.query['since'];
    if (typeof since === 'string') return void (await reply.send(await this.page(call, since, selection)));
    for (const name of ['cursor', 'limit']) if (name in call.query) throw onlyWithSince(name);
    const lastId = request.headers['last-event-id'];
    const from = call.query['from'];
    const after =
      typeof lastId === 'string'
        ? await this.positions.parse(lastId, 'Last-Event-ID')
        : await this.positions.parse(typeof from === 'string' ? from : 'now', '?from');
    if (request.method === 'HEAD') return void (await reply.type('text/event-stream; charset=utf-8').send());
    reply.hijack();
    reply.raw.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Correlation-Id': call.meta.correlationId,
    });
    this.streams.open(reply.raw, after, eventFilter(call.meta.actor, selection));
  }

  private async page(call: Call, since: string, selection: EventSelection): Promise<unknown> {
    if ('from' in call.query) throw onlyWithSince('from');
    const cursor = new PageCursor({ ...selection });
    const after = cursor.begin(call.query) ?? (await this.positions.parse(since, '?since'));
    return cursor.page(await this.pages.ofLog(after, pageLimit(call.query), eventFilter(call.meta.actor, selection)));
  }
}
