import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ListQuery, type ServiceRequest } from '@stave/contracts';
import { Queries, type ServiceRuntime } from '@stave/service-kit';
import type { ContainerChanges } from '@stave/domain';
import type { ContainerCommands, ContainerInput } from './container.commands.js';
import type { ResourceLookup } from '../resource-lookup.js';
import type { ProfileCommands, ProfileInput } from '../profiles/profile.commands.js';
import type { ContainerCalls } from '../container-calls.js';

const SERVICE = 'container-scheduler';
const profile = (verb: string): string => commandSubject(SERVICE, 'container-profile', verb);
const container = (verb: string): string => commandSubject(SERVICE, 'container', verb);

interface Ref {
  readonly id: string;
}

type Answer = Promise<unknown>;

export function profileController(
  runtime: ServiceRuntime,
  commands: ProfileCommands,
  find: ResourceLookup,
): Type<object> {
  const queries = new Queries(runtime, 'containerProfiles', 'the container profile');

  @Controller()
  class ProfileController {
    @MessagePattern(profile('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Answer {
      return queries.get(meta, (await find.profile(meta, body.id)).id);
    }

    @MessagePattern(profile('list'))
    list({ meta, body }: ServiceRequest<ListQuery>): Answer {
      return queries.list(meta, body);
    }

    @MessagePattern(profile('create'))
    create({ meta, body }: ServiceRequest<ProfileInput>): Answer {
      return commands.create(meta, body);
    }

    @MessagePattern(profile('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: Readonly<Record<string, unknown>> }>): Answer {
      return commands.patch(meta, body.id, body.patch);
    }

    @MessagePattern(profile('delete'))
    remove({ meta, body }: ServiceRequest<Ref>): Answer {
      return commands.remove(meta, body.id);
    }
  }
  return ProfileController;
}

export function containerController(
  runtime: ServiceRuntime,
  commands: ContainerCommands,
  calls: ContainerCalls,
  find: ResourceLookup,
): Type<object> {
  const queries = new Queries(runtime, 'containers', 'the container');

  @Controller()
  class ContainerController {
    @MessagePattern(container('get'))
    async get({ meta, body }: ServiceRequest<Ref>): Answer {
      return queries.get(meta, (await find.container(meta, body.id)).id);
    }

    @MessagePattern(container('list'))
    list({ meta, body }: ServiceRequest<ListQuery>): Answer {
      return queries.list(meta, body, {
        clusterId: ref => find.cluster(meta, ref),
        nodeId: ref => find.node(meta, ref),
        profileId: ref => find.profile(meta, ref),
      });
    }

    @MessagePattern(container('create'))
    create({ meta, body }: ServiceRequest<ContainerInput>): Answer {
      return commands.create(meta, body);
    }

    @MessagePattern(container('patch'))
    patch({ meta, body }: ServiceRequest<Ref & { readonly patch: ContainerChanges }>): Answer {
      return commands.patch(meta, body.id, body.patch);
    }

    @MessagePattern(container('delete'))
    remove({ meta, body }: ServiceRequest<Ref>): Answer {
      return commands.remove(meta, body.id);
    }

    @MessagePattern(container('action'))
    async action({ meta, body }: ServiceRequest<Ref & { readonly action: string }>): Answer {
      return commands.action(meta, body.id, body.action, body);
    }

    @MessagePattern(container('logs'))
    logs({ meta, body }: ServiceRequest<Ref & { readonly tail?: number }>): Answer {
      return calls.logs(meta, body.id, body.tail);
    }

    @MessagePattern(container('follow-logs'))
    followLogs({ meta, body }: ServiceRequest<Ref & { readonly tail?: number }>): Answer {
      return calls.followLogs(meta, body.id, body.tail);
    }

    @MessagePattern(container('stats'))
    stats({ meta, body }: ServiceRequest<Ref>): Answer {
      return calls.stats(meta, body.id);
    }
  }
  return ContainerController;
}
