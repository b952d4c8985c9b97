import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import type { Logger } from '@stave/platform';
import { TargetProjects } from '../auth/target-projects.js';
import { wantedProject, type GatewayRequest } from '../http/call.js';
import { isMembers } from '../http/members.js';
import { LOG } from '../gateway.tokens.js';
import { ProjectDirectory } from '../identity/project-directory.js';
import { paramNames, targetParams, type Route } from '../routes/route.js';

/** Finds the project that a refused change names, for requesters who are of no project themselves. */
@Injectable()
export class NamedProjects {
  constructor(
    private readonly projects: ProjectDirectory,
    private readonly targets: TargetProjects,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Returns the id of the project in the header, of the path, or of the resource in the path; null where there is none that exists. */
  async of(actor: Actor, route: Route, request: GatewayRequest): Promise<string | null> {
    try {
      return await this.find(actor, route, request);
    } catch (err) {
      if (!(err instanceof RefusedError)) this.log.warn({ err }, 'the project of a refused change was not found out');
      return null;
    }
  }

  private async find(actor: Actor, route: Route, request: GatewayRequest): Promise<string | null> {
    const params = isMembers(request.params) ? request.params : {};
    const [first = ''] = paramNames(route.path);
    const ofPath = route.path.startsWith('/v1/projects/:') ? String(params[first] ?? '') : undefined;
    const named = wantedProject(request) ?? ofPath;
    if (named !== undefined) return (await this.projects.find(named))?.id ?? null;
    const { dispatch } = route;
    if (!dispatch || first === '') return null;
    const meta = { correlationId: request.id, actor };
    // what would be created is in the project of what is above it
    if (dispatch.verb === 'create')
      return first === 'clusterId' ? this.targets.projectOf(meta, 'cluster', { id: String(params[first]) }) : null;
    const target = targetParams(route, dispatch).map(([name, param]) => [name, String(params[param] ?? '')] as const);
    return this.targets.projectOfTarget(meta, dispatch, Object.fromEntries(target));
  }
}
