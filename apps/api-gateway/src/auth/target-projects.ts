import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta, type ResourceName, type ServiceName } from '@stave/contracts';
import { isUuid, projectDisabled } from '@stave/domain';
import type { EventStore } from '@stave/platform';
import { EVENT_STORE } from '../gateway.tokens.js';
import { member } from '../http/members.js';
import { notFound } from '../problems/refusals.js';
import { camelCase } from '../routes/resource.routes.js';
import type { Dispatch, Route } from '../routes/route.js';
import { ServiceClient } from '../services/service-client.js';
import { KeyLifetimes } from './key-lifetimes.js';
import { isClosed, requireRole } from './permission.js';

type Target = Readonly<Record<string, string>>;

const targetTypes: Readonly<Record<string, ResourceName>> = {
  cluster: 'cluster',
  nodeGroup: 'node-group',
  containerSet: 'container-set',
};

/** Makes a change of somebody with several projects, who has chosen none, a change in the project of its target. */
@Injectable()
export class TargetProjects {
  constructor(
    private readonly services: ServiceClient,
    private readonly lifetimes: KeyLifetimes,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
  ) {}

  /**
   * Returns the metadata of a change of this target. Throws RefusedError: 404 for a target in a project without any role of the requester, 403
   * for one in which the role does not permit the change, or that is disabled.
   */
  async ofChange(meta: RequestMeta, route: Route, dispatch: Dispatch, target: Target): Promise<RequestMeta> {
    if (!meta.actor.projects) return meta;
    return this.inProject(meta, route, await this.projectOfTarget(meta, dispatch, target));
  }

  /** Returns the id of the project of what a change is made to. Throws RefusedError (404). */
  async projectOfTarget(meta: RequestMeta, { resource, fixed }: Dispatch, target: Target): Promise<string> {
    const { target: attachedTo, ...own } = target;
    const type = targetTypes[fixed?.['targetType'] ?? ''];
    return type
      ? this.projectOf(meta, type, { id: attachedTo ?? '' })
      : this.projectOf(meta, resource, { id: own['id'] ?? '', ...withCluster(own) });
  }

  /** As {@link ofChange}, for an operation. */
  async ofOperation(meta: RequestMeta, route: Route, service: ServiceName, id: string): Promise<RequestMeta> {
    if (!meta.actor.projects) return meta;
    const { data } = await this.services.askService(service, 'operation', 'get', { meta: read(meta), body: { id } });
    return this.inProject(meta, route, projectIn(data));
  }

  /** The first event of a stream names the project, also when the resource is deleted: a repeated deletion gets its answer. */
  async projectOf(meta: RequestMeta, resource: ResourceName, target: Target): Promise<string> {
    const { id = '' } = target;
    const [first] = isUuid(id)
      ? await this.eventStore.readStream(`${camelCase(resource)}-${id}`, { limit: 1 })
      : [undefined];
    return first?.metadata.project ?? projectIn((await this.services.ask(resource, 'get', read(meta), target)).data);
  }

  private inProject(meta: RequestMeta, route: Route, projectId: string): RequestMeta {
    const credential = this.lifetimes.credentialOf(meta.actor);
    const grant = credential?.grants?.find(({ id }) => id === projectId);
    if (!credential || !grant) throw notFound();
    const { projects: _, ...who } = meta.actor;
    const actor = { ...who, role: grant.role, project: grant.id };
    requireRole(actor, route);
    if (grant.isDisabled && isClosed(route, actor)) throw new RefusedError(projectDisabled);
    this.lifetimes.admitted({ ...credential, actor });
    return { ...meta, actor };
  }
}

/** The metadata of the read of a target: what belongs to the change is left out. */
const read = ({ correlationId, actor }: RequestMeta): RequestMeta => ({ correlationId, actor });

const withCluster = ({ clusterId }: Target): Target => (clusterId === undefined ? {} : { clusterId });

function projectIn(document: unknown): string {
  const projectId = member(document, 'projectId');
  if (typeof projectId !== 'string') throw notFound();
  return projectId;
}
