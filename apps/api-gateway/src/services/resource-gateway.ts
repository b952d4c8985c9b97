import { Injectable } from '@nestjs/common';
import type { ResourceName } from '@stave/contracts';
import { unpackedPlan } from '@stave/service-kit';
import { etag, ok, positionHeader, type Answer } from '../http/answer.js';
import { param, type Call } from '../http/call.js';
import { selectFields, selectInPage } from './field-selection.js';
import { listOf, ListReferences } from './list-references.js';
import { listQueryOf } from './list-query.js';
import { ServiceClient, type Reply } from './service-client.js';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const member = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined);

/** The commands and queries that all resources have in common. */
@Injectable()
export class ResourceGateway {
  constructor(
    private readonly services: ServiceClient,
    private readonly references: ListReferences,
  ) {}

  async get(resource: ResourceName, call: Call, body: Members): Promise<Answer> {
    const { at } = call.query;
    const { data, position } = await (at === undefined
      ? this.services.ask(resource, 'get', call.meta, body)
      : this.services.ask(resource, 'get-at', call.meta, { ...body, at }));
    const headers = { ...etag(member(data, 'revision')), ...positionHeader(position) };
    return ok(selectFields(data, call.query['fields']), headers);
  }

  /** `within`: what the path fixes, beside the query. */
  async list(resource: ResourceName, call: Call, within: Members = {}): Promise<Answer> {
    const query = await this.references.resolved(call.meta, listQueryOf(call.query, listOf(call.route)));
    const { at } = call.query;
    const { data } = await (at === undefined
      ? this.services.ask(resource, 'list', call.meta, { ...query, ...within })
      : this.services.ask(resource, 'list-at', call.meta, { ...query, ...within, at }));
    return ok(selectInPage(data, call.query['fields']));
  }

  /** What changed between two moments of its life. */
  async diff(resource: ResourceName, call: Call, target: Members): Promise<Answer> {
    const { from, to } = call.query;
    const body = { ...target, from, ...(to === undefined ? {} : { to }) };
    return ok((await this.services.ask(resource, 'diff', call.meta, body)).data);
  }

  async create(resource: ResourceName, call: Call, body: Members = call.body): Promise<Answer> {
    const reply = await this.services.ask(resource, 'create', call.meta, body);
    if (call.meta.dryRun) return planned(reply);
    const id = member(member(reply.data, 'resource'), 'id');
    return this.accepted(reply, 201, { Location: `${collectionPath(call.route.path)}/${String(id)}` });
  }

  async patch(resource: ResourceName, call: Call, target: Members): Promise<Answer> {
    const reply = await this.services.ask(resource, 'patch', call.meta, { ...target, patch: call.body });
    return call.meta.dryRun ? planned(reply) : this.accepted(reply, 200);
  }

  async delete(resource: ResourceName, call: Call, target: Members): Promise<Answer> {
    const { dryRun, planToken: _token, ...query } = call.query;
    const reply = await this.services.ask(resource, 'delete', call.meta, { ...query, ...target });
    return dryRun === true ? planned(reply) : this.accepted(reply, 204);
  }

  async action(resource: ResourceName, call: Call, target: Members, action: string): Promise<Answer> {
    const body = { ...call.body, ...target, action };
    const reply = await this.services.ask(resource, 'action', call.meta, body);
    return call.meta.dryRun ? planned(reply) : this.accepted(reply, 200);
  }

  /** An operation was started: 202 and where it is; else `done`. */
  private accepted({ data, position }: Reply, done: number, headers: Readonly<Record<string, string>> = {}): Answer {
    const resource = member(data, 'resource');
    const operationId = member(data, 'operationId');
    const common = { ...etag(member(resource, 'revision')), ...positionHeader(position) };
    if (typeof operationId !== 'string')
      return { status: done, headers: { ...headers, ...common }, ...(done === 204 ? {} : { body: resource }) };
    const body = isMembers(resource) ? { ...resource, operationId } : { operationId };
    return { status: 202, headers: { ...common, Location: `/v1/operations/${operationId}` }, body };
  }
}

/** Nothing was done: what would be. */
export const planned = ({ data }: Reply): Answer => ok(unpackedPlan(data), { 'Cache-Control': 'no-store' });

/** Where a resource is read that was created under a path like `/v1/clusters/:id/node-groups`. */
function collectionPath(path: string): string {
  return path.includes('/:') ? `/v1/${path.split('/').at(-1) ?? ''}` : path;
}

/** The members that name the target of a call: `id`, and the cluster where it is in the path. */
export const targetOf = (call: Call): Members => ({ id: param(call) });
export const targetInCluster = (call: Call): Members => ({ id: param(call, 'nodeGroup'), clusterId: param(call) });
