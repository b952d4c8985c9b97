import { Controller, type OnModuleDestroy } from '@nestjs/common';
import { durationMs, operationOwner, type ServiceName } from '@stave/contracts';
import { validationFailed } from '@stave/service-kit';
import { TargetProjects } from '../auth/target-projects.js';
import { visibleTo } from '../events/event-filter.js';
import { EventPages, PageRequest } from '../events/event-pages.js';
import { EventPositions } from '../events/event-positions.js';
import { TimeIndex } from '../events/time-index.js';
import { ok, planned, positionHeader, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import { operationRoutes as routes } from '../routes/operation.routes.js';
import { limitOf } from '../services/list-query.js';
import { selectFields } from '../services/field-selection.js';
import { ServiceClient, type Reply } from '../services/service-client.js';

/** A waiting request is sent in slices: it survives a restart of the service and ends soon when the gateway closes. */
const SLICE_MS = 5000;
const MAX_WAIT_MS = 60_000;
/** The difference between clocks of services: the first event can have an earlier time than its operation. */
const CLOCK_SKEW_MS = 5000;

const hasEnded = ({ data }: Reply): boolean =>
  ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(String(member(data, 'status')));

function ownerOf(id: string): ServiceName {
  const owner = operationOwner(id);
  if (owner) return owner;
  throw notFound(`operation ${id} does not exist`);
}

/** Parses a duration, in seconds where it has no unit, into milliseconds. Throws RefusedError (400) above one minute. */
function parseWait(value: unknown): number {
  const text = String(value ?? 0);
  const wait = durationMs(text) ?? Number(text) * 1000;
  if (wait <= MAX_WAIT_MS) return wait;
  throw validationFailed([{ pointer: '?wait', code: 'out-of-range', detail: 'must be 60s at most' }]);
}

@Controller()
export class OperationsController implements OnModuleDestroy {
  private closing = false;

  constructor(
    private readonly services: ServiceClient,
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
    private readonly times: TimeIndex,
    private readonly projects: TargetProjects,
  ) {}

  /** With `wait`, answers when the operation has ended or the time has passed. */
  @Handles(routes.get)
  async get(@FromCall() call: Call): Promise<Answer> {
    const deadline = performance.now() + parseWait(call.query['wait']);
    let reply = await this.ask(call, this.slice(deadline));
    while (!hasEnded(reply) && this.slice(deadline) > 0) reply = await this.ask(call, this.slice(deadline));
    const headers = positionHeader(hasEnded(reply) ? reply.position : undefined);
    return ok(selectFields(reply.data, call.query['fields']), headers);
  }

  @Handles(routes.steps)
  async steps(@FromCall() call: Call): Promise<Answer> {
    const { meta, query } = call;
    const { cursor, status } = query;
    const id = param(call);
    const body = {
      id,
      limit: limitOf(query),
      ...(typeof cursor === 'string' ? { cursor } : {}),
      ...(typeof status === 'string' ? { status: [...new Set(status.toUpperCase().split(','))] } : {}),
    };
    return ok((await this.services.askService(ownerOf(id), 'operation', 'steps', { meta, body })).data);
  }

  @Handles(routes.cancel)
  async cancel(@FromCall() call: Call): Promise<Answer> {
    const id = param(call);
    const meta = await this.projects.ofOperation(call.meta, call.route, ownerOf(id), id);
    const reply = await this.services.askService(ownerOf(id), 'operation', 'cancel', { meta, body: { id } });
    if (meta.dryRun) return planned(reply);
    const headers = { Location: `/v1/operations/${id}`, ...positionHeader(reply.position) };
    return { status: 202, headers, body: reply.data };
  }

  /** Reads the events with the id of the operation from the log, between the start and the end of the operation. */
  @Handles(routes.history)
  async history(@FromCall() call: Call): Promise<Answer> {
    const { meta, query } = call;
    const id = param(call);
    await this.positions.reached(meta);
    const { data } = await this.ask(call);
    const request = new PageRequest({ operation: id }, query);
    const created = Date.parse(String(member(data, 'createdAt'))) - CLOCK_SKEW_MS;
    const finished = Date.parse(String(member(data, 'finishedAt'))) + CLOCK_SKEW_MS;
    const first = Number.isNaN(created) ? -1 : await this.times.positionBefore(new Date(created).toISOString());
    const visible = visibleTo(meta.actor);
    const page = await this.pages.ofLog(
      request,
      first,
      event => event.metadata.operationId === id && visible(event),
      event => Date.parse(event.metadata.time) > finished,
    );
    return ok(page);
  }

  /** Answers waiting requests with the present state. */
  onModuleDestroy(): void {
    this.closing = true;
  }

  private ask(call: Call, waitMs = 0): Promise<Reply> {
    const { meta } = call;
    const id = param(call);
    const body = waitMs > 0 ? { id, waitMs } : { id };
    return this.services.askService(ownerOf(id), 'operation', 'get', { meta, body }, waitMs);
  }

  private slice(deadline: number): number {
    return this.closing ? 0 : Math.max(0, Math.min(SLICE_MS, Math.ceil(deadline - performance.now())));
  }
}
