import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ListQuery, type ResourceDocument, type ServiceRequest } from '@stave/contracts';
import type { ClusterSpecification } from '@stave/domain';
import { Queries, DocumentDecorator, type ServiceRuntime } from '@stave/service-kit';
import type { ClusterActionBody } from './cluster-actions.js';
import { clusterCredentials } from './cluster-credentials.js';
import type { ClusterCommands } from './cluster.commands.js';
import type { ClusterPatch } from './cluster-patch.js';
import type { ClusterInput } from './cluster-request.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster', verb);

interface Ref {
  readonly id: string;
}

export function clusterController(runtime: ServiceRuntime, commands: ClusterCommands): Type<object> {
  const queries = new Queries(runtime, 'clusters', 'the cluster');

  const operated = new DocumentDecorator<string | null>((_document, operatedBy) => ({ operatedBy }));
  /** With which of its versions the cluster's conductor of now operates it; null while there is none. */
  const withOperator = (document: ResourceDocument): ResourceDocument => {
    const { id, conductorGroup, driver, driverVersion } = document as ResourceDocument & ClusterSpecification;
    const operator = runtime.ring.view.operatorOf(conductorGroup, driver, driverVersion, String(id));
    return operated.of(document, operator?.version ?? null);
  };

  @Controller()
  class ClusterController {
    @MessagePattern(on('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
      const { id } = await commands.find(meta, body.id);
      return withOperator(await queries.get(meta, id));
    }

    @MessagePattern(on('list'))
    async list({ meta, body }: ServiceRequest<ListQuery>): Promise<unknown> {
      const page = await queries.list(meta, body);
      return { ...page, items: page.items.map(withOperator) };
    }

    @MessagePattern(on('create'))
    create({ meta, body }: ServiceRequest<ClusterInput>): Promise<unknown> {
      return commands.create(meta, body);
    }

    @MessagePattern(on('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: ClusterPatch }>): Promise<unknown> {
      return commands.patch(meta, body.id, body.patch);
    }

    @MessagePattern(on('delete'))
    remove({ meta, body }: ServiceRequest<Ref & { readonly force?: boolean }>): Promise<unknown> {
      return commands.remove(meta, body.id, body.force ?? false);
    }

    @MessagePattern(on('action'))
    action({ meta, body: { id, ...body } }: ServiceRequest<Ref & ClusterActionBody>): Promise<unknown> {
      return commands.action(meta, id, body);
    }

    @MessagePattern(on('credentials'))
    async credentials({ meta, body }: ServiceRequest<Ref>): Promise<unknown> {
      const { id, state } = await commands.find(meta, body.id);
      return clusterCredentials(runtime, id, state);
    }
  }
  return ClusterController;
}
