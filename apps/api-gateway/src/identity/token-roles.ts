import { projectRoles, type ProjectRole, type RoleRule } from './identity-settings.js';

export type Claims = Readonly<Record<string, unknown>>;

/** What the rules of an issuer give to a token. */
export interface TokenRoles {
  readonly isOperator: boolean;
  /** The strongest role by the name of each project. */
  readonly byProject: ReadonlyMap<string, ProjectRole>;
}

function fits({ claim, value }: RoleRule, claims: Claims): boolean {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return found === value || (Array.isArray(found) && found.includes(value));
}

export const rankOf = (role: ProjectRole): number => projectRoles.indexOf(role);

/** Returns the stronger of two roles. */
export const stronger = (one: ProjectRole, other: ProjectRole | undefined): ProjectRole =>
  other !== undefined && rankOf(other) > rankOf(one) ? other : one;

/** Returns the roles that the claims of a token have by these rules; each fitting rule adds to them. */
export function rolesOf(rules: readonly RoleRule[], claims: Claims): TokenRoles {
  const byProject = new Map<string, ProjectRole>();
  let isOperator = false;
  for (const rule of rules) {
    if (!fits(rule, claims)) continue;
    const { role, project } = rule;
    if (role === 'operator') isOperator = true;
    else if (project !== undefined) byProject.set(project, stronger(role, byProject.get(project)));
  }
  return { isOperator, byProject };
}
