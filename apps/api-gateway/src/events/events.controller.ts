import { Controller, Req, Res } from '@nestjs/common';
import { omitUndefined } from '@stave/domain';
import { validationFailed } from '@stave/service-kit';
import type { FastifyReply } from 'fastify';
import { FromCall, Handles, type Call, type GatewayRequest, type Values } from '../http/call.js';
import { eventsRoute } from '../routes/operation.routes.js';
import { ServiceClient } from '../services/service-client.js';
import { eventFilter, type EventSelection } from './event-filter.js';
import { eventForm } from './event-form.js';
import { EventPages, PageRequest, type EventPage } from './event-pages.js';
import { EventPositions } from './event-positions.js';
import { EventStreams } from './event-streams.js';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

const startTwice = {
  pointer: '?from',
  code: 'unknown-parameter',
  detail: 'has the same meaning as since; send one of them',
};

/**
 * Returns the text of the start and the parameter that has it. Pages that begin with the newest event go back to the first one where the
 * query has no start. Throws RefusedError (400) when the query has two.
 */
function startOf({ from, since, order }: Values): readonly [text: string, pointer: string] {
  if (from !== undefined && since !== undefined) throw validationFailed([startTwice]);
  const usual = order === 'newest' ? 'start' : 'now';
  return since === undefined ? [String(from ?? usual), '?from'] : [String(since), '?since'];
}

function refuse(query: Values, parameters: readonly string[], detail: string): void {
  const refused = parameters.filter(parameter => parameter in query);
  if (refused.length > 0)
    throw validationFailed(refused.map(name => ({ pointer: `?${name}`, code: 'unknown-parameter', detail })));
}

@Controller()
export class EventsController {
  constructor(
    private readonly services: ServiceClient,
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
    private readonly streams: EventStreams,
  ) {}

  /** Answers a page, or leaves the response open as an event stream, as `Accept` decides. */
  @Handles(eventsRoute)
  async events(@FromCall() call: Call, @Req() request: GatewayRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query, meta } = call;
    const selection = await this.selectionOf(call);
    const start = startOf(query);
    if (eventForm(request.headers.accept, query) === 'pages')
      return void (await reply.send(await this.page(call, selection, start)));
    refuse(
      query,
      ['cursor', 'limit', 'order', 'until'],
      'has no effect on a stream; accept application/json, or send since',
    );
    const lastId = request.headers['last-event-id'];
    const after =
      typeof lastId === 'string'
        ? await this.positions.parse(lastId, 'Last-Event-ID')
        : await this.positions.parse(...start);
    if (request.method === 'HEAD') return void (await reply.type(EVENT_STREAM).send());
    const open = this.streams.admit(meta.actor);
    reply.hijack();
    reply.raw.writeHead(200, {
      'Content-Type': EVENT_STREAM,
      'Cache-Control': 'no-store, no-transform',
      'X-Content-Type-Options': 'nosniff',
      'X-Accel-Buffering': 'no',
      'X-Correlation-Id': meta.correlationId,
      ...(request.cookies && { 'Set-Cookie': [...request.cookies] }),
    });
    open(reply.raw, after, eventFilter(meta.actor, selection));
  }

  private async page(
    { query, meta }: Call,
    selection: EventSelection,
    start: ReturnType<typeof startOf>,
  ): Promise<EventPage> {
    const { selects } = eventFilter(meta.actor, selection);
    const { order, until } = query;
    const last = until === undefined ? Infinity : await this.positions.parse(String(until), '?until');
    if (order === 'newest') {
      const request = new PageRequest({ ...selection, order, since: start[0] }, query);
      return this.pages.ofLogNewestFirst(request, { after: await this.positions.parse(...start), last }, selects);
    }
    const request = new PageRequest({ ...selection }, query);
    const first = request.start ?? (await this.positions.parse(...start));
    return this.pages.ofLog(request, first, selects, ({ position }) => position > last);
  }

  /** Parses the filters of the request and resolves names of clusters and projects to ids. */
  private async selectionOf({ query, meta }: Call): Promise<EventSelection> {
    const { cluster, project, type, resource } = query;
    const idOf = async (name: 'cluster' | 'project', id: unknown): Promise<string | undefined> =>
      typeof id === 'string' ? this.services.idOf(name, meta, { id }) : undefined;
    return omitUndefined({
      cluster: await idOf('cluster', cluster),
      project: await idOf('project', project),
      types: typeof type === 'string' ? type.split(',') : undefined,
      resource: typeof resource === 'string' ? resource : undefined,
    });
  }
}
