import type { ReactNode } from 'react';
import { useHasRole, type Role } from './who-am-i.js';

interface NeedsRoleProps {
  readonly role: Role;
  readonly project?: string;
  /** What the role is needed for, such as `make keys`. */
  readonly what: string;
  readonly children: ReactNode;
}

/** Shows what a role may do; to others, which role is missing. */
export function NeedsRole({ role, project, what, children }: NeedsRoleProps) {
  const hasRole = useHasRole(role, project);
  if (hasRole === undefined) return null;
  return hasRole ? (
    children
  ) : (
    <p className="dim note">
      The role {role} is needed to {what}.
    </p>
  );
}
