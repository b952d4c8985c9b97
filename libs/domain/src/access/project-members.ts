import { accept, brokenRules, existenceRefusal, notFound, refuse, type Decision } from '../kernel/decider.js';
import {
  projectDisabled,
  type MemberRole,
  type ProjectMemberRemoved,
  type ProjectMemberSet,
  type ProjectState,
} from './project.js';

/** The most members of one project; groups of people get their roles by rules. */
export const MAX_MEMBERS = 1_000;

const changeRefusal = (state: ProjectState, ifMatch?: number) =>
  existenceRefusal('the project', state, ifMatch) ?? (state.disabled ? projectDisabled : undefined);

/** Gives a subject a role in the project; nothing to do where it has the role already. */
export function setProjectMember(
  state: ProjectState,
  { subject, role }: { readonly subject: string; readonly role: MemberRole },
  ifMatch?: number,
): Decision<ProjectMemberSet> {
  const refusal = changeRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.members.get(subject) === role) return accept();
  if (!state.members.has(subject) && state.members.size >= MAX_MEMBERS) {
    const detail = `a project has at most ${MAX_MEMBERS} members`;
    return refuse(brokenRules([{ pointer: '', code: 'too-many', detail }]));
  }
  return accept({ type: 'ProjectMemberSet', data: { subject, role } });
}

/** Removes a member from the project. */
export function removeProjectMember(
  state: ProjectState,
  subject: string,
  ifMatch?: number,
): Decision<ProjectMemberRemoved> {
  const refusal = changeRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (!state.members.has(subject)) return refuse(notFound('the member'));
  return accept({ type: 'ProjectMemberRemoved', data: { subject } });
}
