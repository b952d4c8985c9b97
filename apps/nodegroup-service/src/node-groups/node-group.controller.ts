import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ListQuery, type Page, type ServiceRequest } from '@stave/contracts';
import type { NodeGroupPatch } from '@stave/domain';
import { Queries, DocumentDecorator, type ServiceRuntime } from '@stave/service-kit';
import type { ResourceLookup } from '../resource-lookup.js';
import type { NodeActionBody, NodeCommands, NodeRemovalBody } from '../nodes/node.commands.js';
import type { NodeGroupInput } from './resolve-node-group-request.js';
import type { NodeUsages } from '../nodes/node-usage.js';
import type { GroupActionBody, NodeGroupCommands } from './node-group.commands.js';

const SERVICE = 'nodegroup-service';
const group = (verb: string): string => commandSubject(SERVICE, 'node-group', verb);
const node = (verb: string): string => commandSubject(SERVICE, 'node', verb);

interface Ref {
  readonly id: string;
  readonly clusterId?: string;
}

type ListRequest = ServiceRequest<ListQuery & { readonly clusterId?: string }>;

/** A list of everything, or of what is in the cluster that the path names; filters name clusters and groups by id or name, too. */
async function listed(queries: Queries, find: ResourceLookup, { meta, body }: ListRequest): Promise<Page> {
  const { clusterId, ...query } = body;
  const within = clusterId === undefined ? undefined : (await find.cluster(meta, clusterId)).id;
  const [inCluster, ...more] = within === undefined ? (query.references?.['clusterId'] ?? []) : [within];
  const scoped = within === undefined ? query : { ...query, filter: { $and: [query.filter, { clusterId: within }] } };
  return queries.list(meta, scoped, {
    clusterId: ref => find.cluster(meta, ref),
    nodeGroupId: ref => find.group(meta, ref, more.length === 0 ? inCluster : undefined),
  });
}

export function nodeGroupController(
  runtime: ServiceRuntime,
  commands: NodeGroupCommands,
  find: ResourceLookup,
): Type<object> {
  const queries = new Queries(runtime, 'nodeGroups', 'the node group');

  @Controller()
  class NodeGroupController {
    @MessagePattern(group('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
      const { id } = await find.group(meta, body.id, body.clusterId);
      return queries.get(meta, id);
    }

    @MessagePattern(group('list'))
    list(request: ListRequest): Promise<unknown> {
      return listed(queries, find, request);
    }

    @MessagePattern(group('create'))
    create({ meta, body }: ServiceRequest<NodeGroupInput>): Promise<unknown> {
      return commands.create(meta, body);
    }

    @MessagePattern(group('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: NodeGroupPatch }>): Promise<unknown> {
      return commands.patch(meta, body, body.patch);
    }

    @MessagePattern(group('delete'))
    remove({ meta, body }: ServiceRequest<Ref & { readonly force?: boolean }>): Promise<unknown> {
      return commands.remove(meta, body, body.force ?? false);
    }

    @MessagePattern(group('action'))
    action({ meta, body }: ServiceRequest<Ref & GroupActionBody>): Promise<unknown> {
      return commands.action(meta, body, body);
    }
  }
  return NodeGroupController;
}

export function nodeController(
  runtime: ServiceRuntime,
  commands: NodeCommands,
  find: ResourceLookup,
  usages: NodeUsages,
): Type<object> {
  const sampledAt = new DocumentDecorator<number | undefined>(({ id }) => ({ utilisation: usages.now(id) }));
  const queries = new Queries(runtime, 'nodes', 'the node');

  @Controller()
  class NodeController {
    @MessagePattern(node('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
      const { id } = await find.node(meta, body.id);
      return { ...(await queries.get(meta, id)), utilisation: usages.of(id) };
    }

    @MessagePattern(node('list'))
    async list(request: ListRequest): Promise<unknown> {
      const page = await listed(queries, find, request);
      return { ...page, items: page.items.map(item => sampledAt.of(item, usages.lastTime(item.id))) };
    }

    @MessagePattern(node('delete'))
    remove({ meta, body }: ServiceRequest<Ref & NodeRemovalBody>): Promise<unknown> {
      return commands.remove(meta, body.id, body);
    }

    @MessagePattern(node('action'))
    action({ meta, body }: ServiceRequest<Ref & NodeActionBody>): Promise<unknown> {
      return commands.action(meta, body.id, body);
    }
  }
  return NodeController;
}
