import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ListQuery, type ServiceRequest } from '@stave/contracts';
import type { TemplatePatch } from '@stave/domain';
import { Queries, withReferences } from '@stave/service-kit';
import { ClusterTemplateCommands } from './cluster-template.commands.js';
import { GroupTemplateCommands, type GroupTemplatePatch } from './group-template.commands.js';
import type { ClusterTemplateInput, GroupTemplateInput } from './plan-template.js';
import type { Templates } from './templates.js';

const cluster = (verb: string): string => commandSubject('cluster-service', 'cluster-template', verb);
const nodeGroup = (verb: string): string => commandSubject('cluster-service', 'node-group-template', verb);

interface Ref {
  readonly id: string;
}

type Answer = Promise<unknown>;

export function clusterTemplateController(templates: Templates): Type<object> {
  const queries = new Queries(templates.runtime, 'clusterTemplates', 'the cluster template');
  const commands = new ClusterTemplateCommands(templates);

  @Controller()
  class ClusterTemplateController {
    @MessagePattern(cluster('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Answer {
      return queries.get(meta, (await templates.find.clusterTemplate(meta.actor, body.id)).id);
    }

    @MessagePattern(cluster('list'))
    list({ meta, body }: ServiceRequest<ListQuery>): Answer {
      return queries.list(meta, body);
    }

    @MessagePattern(cluster('create'))
    create({ meta, body }: ServiceRequest<ClusterTemplateInput>): Answer {
      return commands.create(meta, body);
    }

    @MessagePattern(cluster('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: TemplatePatch }>): Answer {
      return commands.patch(meta, body.id, body.patch);
    }

    @MessagePattern(cluster('delete'))
    remove({ meta, body }: ServiceRequest<Ref>): Answer {
      return commands.remove(meta, body.id);
    }
  }
  return ClusterTemplateController;
}

export function groupTemplateController(templates: Templates): Type<object> {
  const queries = new Queries(templates.runtime, 'nodeGroupTemplates', 'the node group template');
  const commands = new GroupTemplateCommands(templates);

  @Controller()
  class NodeGroupTemplateController {
    @MessagePattern(nodeGroup('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Answer {
      return queries.get(meta, (await templates.find.groupTemplate(meta.actor, body.id)).id);
    }

    @MessagePattern(nodeGroup('list'))
    async list({ meta, body }: ServiceRequest<ListQuery>): Answer {
      const { find } = templates;
      const clusterTemplateId = (ref: string): Promise<Ref> => find.clusterTemplate(meta.actor, ref);
      return queries.list(meta, await withReferences(body, { clusterTemplateId }));
    }

    @MessagePattern(nodeGroup('create'))
    create({ meta, body }: ServiceRequest<GroupTemplateInput>): Answer {
      return commands.create(meta, body);
    }

    @MessagePattern(nodeGroup('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: GroupTemplatePatch }>): Answer {
      return commands.patch(meta, body.id, body.patch);
    }

    @MessagePattern(nodeGroup('delete'))
    remove({ meta, body }: ServiceRequest<Ref>): Answer {
      return commands.remove(meta, body.id);
    }
  }
  return NodeGroupTemplateController;
}
