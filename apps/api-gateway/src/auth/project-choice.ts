import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import { omitUndefined, projectDisabled } from '@stave/domain';
import { rankOf, stronger } from '../identity/token-roles.js';
import { Memberships } from '../identity/memberships.js';
import { ProjectDirectory, type KnownProject } from '../identity/project-directory.js';
import type { ProjectRole } from '../identity/identity-settings.js';
import { CLOCK_SKEW_MS, type TokenIdentity } from '../identity/token-verifier.js';
import { notFound } from '../problems/refusals.js';
import { whoamiRoute } from '../routes/access.routes.js';
import { hasTarget, type Route } from '../routes/route.js';
import type { Credential, Grant, ProjectGrant } from './credential.js';
import { KeyLifetimes } from './key-lifetimes.js';
import { forbidden, isClosed, permits, requireRole } from './permission.js';

/** The project of a requester who has none, or has chosen none: no resource belongs to it. */
const NO_PROJECT = '';

const noSuchProject = (): RefusedError => notFound('Stave-Project names no project of the requester');
const projectRequired = (): RefusedError => {
  const detail = 'the requester has several projects; the header Stave-Project must name one of them';
  const errors = [{ pointer: 'Stave-Project', code: 'project-required', detail: 'is required' }];
  return new RefusedError({ code: 'project-required', kind: 'invalid', detail, errors });
};

const isNamed = ({ id, name }: Grant, ref: string): boolean => id === ref || name.toLowerCase() === ref.toLowerCase();

/** Decides with which role and in which project a request is made: by what it was authenticated with, and by its header `Stave-Project`. */
@Injectable()
export class ProjectChoice {
  constructor(
    private readonly projects: ProjectDirectory,
    private readonly memberships: Memberships,
    private readonly lifetimes: KeyLifetimes,
  ) {}

  /** Throws RefusedError: 403 when the role does not permit the route, 400 `project-required`, 404 for a project that the key is not of. */
  async ofKey(credential: Credential, wanted: string | undefined, route: Route): Promise<Credential> {
    const { actor } = credential;
    requireRole(actor, route);
    if (wanted === undefined || route.id === whoamiRoute.id) return credential;
    const project = await this.projects.find(wanted);
    if (!project || (actor.project !== null && actor.project !== project.id)) throw noSuchProject();
    // what only operators do is of the installation: it has no project in which it could be found
    if (actor.project !== null || route.access === 'operator') return credential;
    return this.admitted({ ...credential, actor: inProject(actor, project) });
  }

  /** As {@link ofKey}, for somebody who has signed in; `tried` is called with which role and project it is tried. Every project that exists and that a rule or a membership names counts. */
  async ofToken(
    identity: TokenIdentity,
    wanted: string | undefined,
    route: Route,
    tried: (actor: Actor) => void,
  ): Promise<Credential> {
    const isWhoami = route.id === whoamiRoute.id;
    if (identity.roles.isOperator) {
      const operator = this.admitted(credentialOf(identity, { role: 'admin', project: null }));
      return this.ofKey(operator, wanted, route);
    }
    const grants = await this.grantsOf(identity);
    if (isWhoami) return this.admitted(credentialOf(identity, { role: 'reader', project: NO_PROJECT, grants }));
    const inPlay = wanted === undefined ? grants : grants.filter(grant => isNamed(grant, wanted));
    const [strongest] = [...inPlay].sort((a, b) => rankOf(b.role) - rankOf(a.role));
    if (grants.length === 0) throw forbidden('the requester has no role in any project');
    if (!strongest) throw noSuchProject();
    const { role, id: project, isDisabled } = strongest;
    const credential = credentialOf(identity, { role, project, isDisabled });
    tried(credential.actor);
    requireRole(credential.actor, route);
    if (inPlay.length > 1) return this.admitted(this.inAll(identity, inPlay, route));
    return this.admitted(credential);
  }

  /**
   * Returns what a request is made with that names no project and is made by somebody with several: a read spans all those whose role permits it, a
   * change of what exists is made in the project of its target ({@link TargetProjects}). Throws RefusedError: 400 for creations, 403.
   */
  private inAll(identity: TokenIdentity, grants: readonly ProjectGrant[], route: Route): Credential {
    const isRead = route.method === 'GET';
    if (!isRead && !hasTarget(route)) throw projectRequired();
    const permitted = grants.filter(({ role }) => !isRead || permits(role, route));
    const open = permitted.filter(({ role, isDisabled }) => !isRead || !isDisabled || !isClosed(route, { role }));
    if (open.length === 0) throw new RefusedError(projectDisabled);
    const role = open.map(grant => grant.role).reduce(stronger);
    return credentialOf(identity, { role, project: NO_PROJECT, projects: open.map(({ id }) => id).sort(), grants });
  }

  /** Returns the projects in which rules or memberships give a role, with the strongest one. */
  private async grantsOf({ subject, roles }: TokenIdentity): Promise<readonly ProjectGrant[]> {
    const members = (await this.memberships.of(subject)).map(({ projectId, role }) => [projectId, role] as const);
    const given = [...roles.byProject, ...members];
    const found = await Promise.all(given.map(([ref]) => this.projects.find(ref)));
    const grants = new Map<string, ProjectGrant>();
    given.forEach(([, role], i) => {
      const project = found[i];
      if (project) grants.set(project.id, { ...project, role: stronger(role, grants.get(project.id)?.role) });
    });
    return [...grants.values()];
  }

  private admitted(credential: Credential): Credential {
    this.lifetimes.admitted(credential);
    return credential;
  }
}

/** Returns who somebody is before it is known in which project. */
export const actorWithoutProject = (identity: TokenIdentity): Actor => {
  const given = identity.roles.isOperator
    ? ({ role: 'admin', project: null } as const)
    : ({ role: 'reader', project: NO_PROJECT } as const);
  return credentialOf(identity, given).actor;
};

const inProject = (actor: Actor, { id }: KnownProject): Actor => ({ ...actor, project: id });

interface Given {
  readonly role: ProjectRole;
  readonly project: string | null;
  readonly projects?: readonly string[];
  readonly isDisabled?: boolean;
  readonly grants?: readonly ProjectGrant[];
}

function credentialOf(identity: TokenIdentity, given: Given): Credential {
  const { role, project, projects, isDisabled = false, grants } = given;
  const { subject: keyId, method, issuer, name, expiresAtMs } = identity;
  return {
    actor: { keyId, name, role, project, method, issuer, ...omitUndefined({ projects }) },
    rotation: 0,
    position: -1,
    expiresAt: new Date(expiresAtMs).toISOString(),
    // what is admitted within the skew after the end may finish within it
    validUntilMs: expiresAtMs > Date.now() ? expiresAtMs : expiresAtMs + CLOCK_SKEW_MS,
    isDisabled,
    ...omitUndefined({ grants }),
  };
}
