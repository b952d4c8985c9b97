import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  callSubject,
  commandSubject,
  RefusedError,
  type CallRequest,
  type ListQuery,
  type ResourceDocument,
  type ServiceReply,
  type ServiceRequest,
} from '@stave/contracts';
import { slotOf, type ClusterSpecification } from '@stave/domain';
import { Queries, type ServiceRuntime } from '@stave/platform';
import type { ClusterActionBody } from './cluster-actions.js';
import type { ClusterCommands } from './cluster.commands.js';
import type { ClusterPatch } from './cluster-patch.js';
import type { ClusterInput } from './cluster-request.js';

const on = (verb: string): string => commandSubject('cluster-service', 'cluster', verb);
const CALL_MS = 15_000;

interface Ref {
  readonly id: string;
}

export function clusterController(runtime: ServiceRuntime, commands: ClusterCommands): Type<object> {
  const queries = new Queries(runtime, 'clusters', 'the cluster');

  /** With which of its versions the cluster's conductor of now operates it; null while there is none. */
  const withOperator = (document: ResourceDocument): ResourceDocument => {
    const { id, conductorGroup, driver, driverVersion } = document as ResourceDocument & ClusterSpecification;
    const operator = runtime.ring.view.operatorOf(conductorGroup, driver, driverVersion, String(id));
    return { ...document, operatedBy: operator?.version ?? null };
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
      if (!state.spec || !state.built)
        throw new RefusedError({ code: 'not-built', kind: 'conflict', detail: 'the cluster is not built yet' });
      const { conductorGroup, driver, driverVersion, options } = state.spec;
      const { view } = runtime.ring;
      const call: CallRequest = {
        call: 'cluster.credentials',
        driver: { name: driver, version: driverVersion },
        ref: { id, clusterId: id, generation: state.generation, options },
      };
      const subject = callSubject(view.tokenOf(view.keyFor(conductorGroup, driver)), slotOf(id));
      const reply = (await runtime.options.messaging.request(subject, call, { timeoutMs: CALL_MS })) as ServiceReply;
      if (!reply.ok) throw new RefusedError(reply.error);
      return reply.data;
    }
  }
  return ClusterController;
}
