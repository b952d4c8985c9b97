import { Controller, Inject, type FactoryProvider, type Provider, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, owners, type ResourceName, type ServiceRequest } from '@stave/contracts';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import type { PastListQuery, PastMoment, PastRange, PastState } from '../history/history-queries.js';
import { ReadModels } from '../read-models/read-models.js';
import type { Projection } from './projection.js';
import { Resource } from './resource.js';
import type { ResourceDefinition, ResourceListQuery, ResourceRef, ResourceType } from './resource-definition.js';
import { RequestLedger } from './request-ledger.js';
import { ResourceCommands } from './resource-commands.js';
import { ResourceRules } from './resource-rules.js';
import { ResourceRegistry } from './resource-registry.js';

/** What a feature module lists of a resource type. */
export interface DefinedResource<S extends PastState, P extends Projection> {
  readonly type: ResourceType<S, P>;
  /** Injection token of the `ResourceCommands` of the type. */
  readonly commands: symbol;
  /** Connects the definition with the service when the module is loaded. */
  readonly providers: readonly Provider[];
  /** Answers `get`, `list`, `get-at`, `list-at` and `diff`. */
  readonly controllers: readonly Type<object>[];
}

/**
 * Declares a resource type of a service, once: streams, read model, history, plans, tasks and reconciliation follow from it. The module
 * lists `providers` and `controllers`, and provides the projection.
 */
export function defineResource<S extends PastState, P extends Projection, D extends readonly unknown[] = readonly []>(
  definition: ResourceDefinition<S, P, D>,
): DefinedResource<S, P> {
  const { name, projection, model, scope, fields, readModel, inject = [], connect, cancel } = definition;
  const [token, commands] = [Symbol(`Resource(${name})`), Symbol(`Commands(${name})`)];
  const commandsProvider: FactoryProvider = {
    provide: commands,
    inject: [RequestLedger, projection, SERVICE_OPTIONS, ReadModels, ResourceRules],
    useFactory: (
      ledger: RequestLedger,
      folded: P,
      { commandLoad }: ServiceOptions,
      readModels: ReadModels,
      rules: ResourceRules,
    ) => {
      const own = model(folded);
      const { quota: amountsOf } = definition;
      if (amountsOf) own.quota = rules.quotaGuard({ streams: own, projectOf: s => scope(s).projectId, amountsOf });
      const changed = (id: string, position: number): void => readModels.touch(readModel.name, id, position);
      const refusalIn = definition.changesInClosedProjects
        ? {}
        : { refusalIn: (project: string) => rules.refusalIn(project) };
      const resource = { model: own, scope, show: fields, changed, ...refusalIn };
      return new ResourceCommands<S>(ledger, resource, commandLoad);
    },
  };
  const provider: FactoryProvider = {
    provide: token,
    inject: [ResourceRegistry, projection, commands, ...inject],
    useFactory: (registry: ResourceRegistry, folded: P, changes: ResourceCommands<S>, ...dependencies: unknown[]) =>
      registry.register(definition, folded, {
        // Nest resolves the tokens of `inject` to what they stand for, in order
        ...connect?.(folded, ...(dependencies as unknown as D)),
        ...(cancel && {
          cancel: (meta, operation) =>
            changes.cancel(meta, operation, (state, id, ids) => cancel(state, id, ids, folded, meta)),
        }),
      }),
  };
  return {
    type: definition,
    commands,
    providers: [commandsProvider, provider],
    controllers: [resourceController(name, token)],
  };
}

function resourceController(name: ResourceName, token: symbol): Type<object> {
  const on = (verb: string): string => commandSubject(owners[name], name, verb);

  @Controller()
  class ResourceController {
    constructor(@Inject(token) private readonly resource: Resource<PastState, Projection>) {}

    @MessagePattern(on('get'))
    get({ meta, body }: ServiceRequest<ResourceRef>): Promise<unknown> {
      return this.resource.get(meta, body);
    }

    @MessagePattern(on('list'))
    list({ meta, body }: ServiceRequest<ResourceListQuery>): Promise<unknown> {
      return this.resource.list(meta, body);
    }

    @MessagePattern(on('get-at'))
    getAt({ meta, body }: ServiceRequest<PastMoment>): Promise<unknown> {
      return this.resource.past.get(meta, body);
    }

    @MessagePattern(on('list-at'))
    listAt({ meta, body }: ServiceRequest<PastListQuery>): Promise<unknown> {
      return this.resource.past.list(meta, body);
    }

    @MessagePattern(on('diff'))
    diff({ meta, body }: ServiceRequest<PastRange>): Promise<unknown> {
      return this.resource.past.diff(meta, body);
    }
  }
  return ResourceController;
}
