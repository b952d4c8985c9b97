import { Controller } from '@nestjs/common';
import { TargetProjects } from '../auth/target-projects.js';
import { ResourceHistory } from '../events/resource-history.js';
import { allRoutes } from '../routes/index.js';
import { isQuestion, targetParams, type Dispatch, type Route } from '../routes/route.js';
import { selectFields, selectInPage } from '../services/field-selection.js';
import { listQueryOf } from '../services/list-query.js';
import { ListReferences } from '../services/list-references.js';
import { ServiceClient } from '../services/service-client.js';
import { accepted, etag, ok, planned, positionHeader, type Answer } from './answer.js';
import { FromCall, Handles, type Call, type Values } from './call.js';
import { member } from './members.js';

type Target = Readonly<Record<string, string>>;

/** Handles every route that declares a dispatch: sends the request to the service that owns the resource and answers its reply. */
@Controller()
export class RouteDispatcher {
  constructor(
    private readonly services: ServiceClient,
    private readonly references: ListReferences,
    private readonly histories: ResourceHistory,
    private readonly projects: TargetProjects,
  ) {}

  async get({ resource }: Dispatch, target: Target, { query, meta }: Call): Promise<Answer> {
    const { at, fields } = query;
    const { data, position } = await (at === undefined
      ? this.services.ask(resource, 'get', meta, target)
      : this.services.ask(resource, 'get-at', meta, { ...target, at }));
    return ok(selectFields(data, fields), { ...etag(member(data, 'revision')), ...positionHeader(position) });
  }

  async list({ resource }: Dispatch, target: Target, { query, meta, route }: Call): Promise<Answer> {
    const { at, fields } = query;
    const asked = { ...(await this.references.resolved(meta, listQueryOf(query, route.list))), ...target };
    const { data } = await (at === undefined
      ? this.services.ask(resource, 'list', meta, asked)
      : this.services.ask(resource, 'list-at', meta, { ...asked, at }));
    return ok(selectInPage(data, fields));
  }

  history({ resource }: Dispatch, target: Target, call: Call): Promise<Answer> {
    const { id = '', ...below } = target;
    return this.histories.page(resource, call, { id, ...below });
  }

  async question({ resource, verb }: Dispatch, target: Target, { query, meta }: Call): Promise<Answer> {
    const { minPosition: _, ...parameters } = query;
    const { data } = await this.services.ask(resource, verb, meta, { ...target, ...parameters });
    return ok(data);
  }

  async create({ resource }: Dispatch, target: Target, { body, meta, route }: Call): Promise<Answer> {
    const reply = await this.services.ask(resource, 'create', meta, { ...body, ...target });
    if (meta.dryRun) return planned(reply);
    const id = String(member(member(reply.data, 'resource'), 'id'));
    return accepted(reply, 201, { Location: `/v1/${route.path.split('/').at(-1) ?? ''}/${id}` });
  }

  patch(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.change(dispatch, target, call, { ...optionsIn(call), patch: call.body });
  }

  delete(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.change(dispatch, target, call, optionsIn(call), 204);
  }

  action(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.change(dispatch, target, call, { ...call.body, action: dispatch.action });
  }

  /** A question whose parameters are a body. Its plan is empty. */
  async backtest({ resource, verb }: Dispatch, target: Target, { body, meta }: Call): Promise<Answer> {
    const reply = await this.services.ask(resource, verb, meta, { ...body, ...target });
    return meta.dryRun ? planned(reply) : ok(reply.data);
  }

  attach(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.change(dispatch, target, call, call.body);
  }

  /** What is detached has no revision of its own, and the answer has no tag. */
  async detach(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    const { headers, ...answer } = await this.change(dispatch, target, call, {}, 204);
    const { ETag: _, ...others } = headers;
    return { ...answer, headers: others };
  }

  async quotas({ resource, verb }: Dispatch, target: Target, { meta }: Call): Promise<Answer> {
    const { data } = await this.services.ask(resource, verb, meta, target);
    return ok(data, etag(member(data, 'revision')));
  }

  limit(dispatch: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.change(dispatch, target, call, call.body);
  }

  private async change(
    dispatch: Dispatch,
    target: Target,
    { meta: given, route }: Call,
    more: Values,
    done = 200,
  ): Promise<Answer> {
    const meta = await this.projects.ofChange(given, route, dispatch, target);
    const reply = await this.services.ask(dispatch.resource, dispatch.verb, meta, { ...more, ...target });
    return meta.dryRun ? planned(reply) : accepted(reply, done);
  }
}

/** The parameters of the query that are for the owner of the resource. */
function optionsIn({ query }: Call): Values {
  const { dryRun: _, planToken: _token, ...options } = query;
  return options;
}

/** Gives the dispatcher one Nest handler per route, so that Fastify matches the path and guards read the route as metadata. */
function register(route: Route, dispatch: Dispatch): void {
  const prototype = RouteDispatcher.prototype;
  const handle = isQuestion(dispatch.verb) ? prototype.question : prototype[dispatch.verb];
  const members = targetParams(route, dispatch);
  const handler = function (this: RouteDispatcher, call: Call): Promise<Answer> {
    const named = Object.fromEntries([
      ...Object.entries(dispatch.fixed ?? {}),
      ...members.map(([name, param]) => [name, call.params[param] ?? ''] as const),
    ]);
    return handle.call(this, dispatch, named, call);
  };
  const descriptor = { value: handler, configurable: true };
  Object.defineProperty(prototype, route.id, descriptor);
  Handles(route)(prototype, route.id, descriptor);
  FromCall()(prototype, route.id, 0);
}

for (const route of allRoutes) if (route.dispatch) register(route, route.dispatch);
