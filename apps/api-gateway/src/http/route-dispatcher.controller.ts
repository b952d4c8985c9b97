import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { allRoutes } from '../routes/index.js';
import { paramNames, type Dispatch, type Route, type Verb } from '../routes/route.js';
import { selectFields, selectInPage } from '../services/field-selection.js';
import { listQueryOf } from '../services/list-query.js';
import { ListReferences } from '../services/list-references.js';
import { ServiceClient } from '../services/service-client.js';
import { etag, ok, positionHeader, type Answer } from './answer.js';
import { FromCall, type Call } from './call.js';
import { accepted, collectionPath, member, NO_STORE, planned } from './command-answer.js';
import { Handles } from './route.decorator.js';

/** The members of a message that are taken from the path. */
type Target = Readonly<Record<string, string>>;
type Handler = (dispatch: Dispatch, target: Target, call: Call) => Promise<Answer>;

/** Handles every route that declares a dispatch: sends the request to the service that owns the resource and answers its reply. */
@Controller()
export class RouteDispatcher implements Record<Verb, Handler> {
  constructor(
    private readonly services: ServiceClient,
    private readonly references: ListReferences,
    private readonly histories: ResourceHistory,
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

  async diff({ resource }: Dispatch, target: Target, { query, meta }: Call): Promise<Answer> {
    const { minPosition: _, ...range } = query;
    return ok((await this.services.ask(resource, 'diff', meta, { ...target, ...range })).data);
  }

  history({ resource }: Dispatch, target: Target, call: Call): Promise<Answer> {
    return this.histories.page(resource, call, target);
  }

  async create({ resource }: Dispatch, target: Target, { body, meta, route }: Call): Promise<Answer> {
    const reply = await this.services.ask(resource, 'create', meta, { ...body, ...target });
    if (meta.dryRun) return planned(reply);
    const id = String(member(member(reply.data, 'resource'), 'id'));
    return accepted(reply, 201, { Location: `${collectionPath(route.path)}/${id}` });
  }

  async patch({ resource }: Dispatch, target: Target, { body, meta }: Call): Promise<Answer> {
    const reply = await this.services.ask(resource, 'patch', meta, { ...target, patch: body });
    return meta.dryRun ? planned(reply) : accepted(reply, 200);
  }

  async delete({ resource }: Dispatch, target: Target, { query, meta }: Call): Promise<Answer> {
    const { dryRun: _, planToken: _token, ...options } = query;
    const reply = await this.services.ask(resource, 'delete', meta, { ...options, ...target });
    return meta.dryRun ? planned(reply) : accepted(reply, 204);
  }

  async action({ resource, action }: Dispatch, target: Target, { body, meta }: Call): Promise<Answer> {
    const reply = await this.services.ask(resource, 'action', meta, { ...body, ...target, action });
    return meta.dryRun ? planned(reply) : accepted(reply, 200);
  }

  async stats({ resource, verb }: Dispatch, target: Target, { meta }: Call): Promise<Answer> {
    return ok((await this.services.ask(resource, verb, meta, target)).data);
  }

  async credentials({ resource, verb }: Dispatch, target: Target, { meta }: Call): Promise<Answer> {
    return ok((await this.services.ask(resource, verb, meta, target)).data, NO_STORE);
  }

  async lookup({ resource, verb }: Dispatch, _: Target, { query, meta }: Call): Promise<Answer> {
    return ok((await this.services.ask(resource, verb, meta, query)).data);
  }
}

/** Gives the dispatcher one Nest handler per route, so that Fastify matches the path and guards read the route as metadata. */
function register(route: Route, dispatch: Dispatch): void {
  const prototype = RouteDispatcher.prototype;
  const target = dispatch.target ?? Object.fromEntries(paramNames(route.path).map(name => [name, name]));
  const members = Object.entries(target);
  const handler = function (this: RouteDispatcher, call: Call): Promise<Answer> {
    const named = Object.fromEntries(members.map(([name, param]) => [name, call.params[param] ?? '']));
    return this[dispatch.verb](dispatch, named, call);
  };
  const descriptor = { value: handler, configurable: true };
  Object.defineProperty(prototype, route.id, descriptor);
  Handles(route)(prototype, route.id, descriptor);
  FromCall()(prototype, route.id, 0);
}

for (const route of allRoutes) if (route.dispatch) register(route, route.dispatch);
