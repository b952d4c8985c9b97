import {
  accept,
  brokenRules,
  conflict,
  existenceRefusal,
  refuse,
  type Decision,
  type EventOf,
  type Refusal,
} from '../kernel/decider.js';
import { diffJson } from '../kernel/json.js';
import { labelProblems, mergeLabels } from '../kernel/merge-labels.js';
import { defineResourceStream } from '../kernel/stream-definition.js';

type Labels = Readonly<Record<string, string>>;

/** A role in a project, the weakest first: `reader` reads, `member` changes, `admin` manages keys and members, too. */
export type MemberRole = 'reader' | 'member' | 'admin';

interface ProjectEvents {
  /** A project was created. */
  ProjectCreated: {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
    readonly labels?: Labels;
  };
  /** The description or the labels of a project were changed; both are as they are afterwards. */
  ProjectUpdated: { readonly description: string; readonly labels: Labels };
  /** An operator disabled the project: nothing in it changes by requests, and only its administrators read it. Accepted work continues. */
  ProjectDisabled: Readonly<Record<string, never>>;
  /** An operator enabled the project again. */
  ProjectEnabled: Readonly<Record<string, never>>;
  /** An operator deleted the project, which was empty. Its keys end, and its name is free. */
  ProjectDeleted: Readonly<Record<string, never>>;
  /** Somebody became a member of the project, or the role of a member changed. It adds to the roles that rules give to the subject. */
  ProjectMemberSet: { readonly subject: string; readonly role: MemberRole };
  /** Somebody is no member any more; roles that rules give stay. */
  ProjectMemberRemoved: { readonly subject: string };
}

export type ProjectCreated = EventOf<ProjectEvents, 'ProjectCreated'>;
export type ProjectUpdated = EventOf<ProjectEvents, 'ProjectUpdated'>;
export type ProjectDisabled = EventOf<ProjectEvents, 'ProjectDisabled'>;
export type ProjectEnabled = EventOf<ProjectEvents, 'ProjectEnabled'>;
export type ProjectDeleted = EventOf<ProjectEvents, 'ProjectDeleted'>;
export type ProjectMemberSet = EventOf<ProjectEvents, 'ProjectMemberSet'>;
export type ProjectMemberRemoved = EventOf<ProjectEvents, 'ProjectMemberRemoved'>;
export type ProjectEvent = EventOf<ProjectEvents>;

export interface ProjectState {
  readonly project: { readonly id: string; readonly name: string };
  readonly description: string;
  readonly labels: Labels;
  readonly disabled: boolean;
  readonly deleted: boolean;
  /** The roles of members by their subjects. */
  readonly members: ReadonlyMap<string, MemberRole>;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const next = (s: ProjectState, changes: Partial<ProjectState>): ProjectState => ({
  ...s,
  ...changes,
  revision: s.revision + 1,
});

export const projectStream = defineResourceStream<ProjectState, ProjectEvent, 'ProjectCreated'>(
  'project',
  {
    ProjectCreated: ({ id, name, description = '', labels = {} }, time) => ({
      project: { id, name },
      description,
      labels,
      disabled: false,
      deleted: false,
      members: new Map(),
      revision: 1,
      createdAt: time,
      updatedAt: time,
    }),
  },
  {
    ProjectUpdated: (s, { data: { description, labels } }) => next(s, { description, labels }),
    ProjectDisabled: s => next(s, { disabled: true }),
    ProjectEnabled: s => next(s, { disabled: false }),
    ProjectDeleted: s => next(s, { deleted: true }),
    ProjectMemberSet: (s, { data: { subject, role } }) =>
      next(s, { members: new Map([...s.members, [subject, role]]) }),
    ProjectMemberRemoved: (s, { data: { subject } }) =>
      next(s, { members: new Map([...s.members].filter(([member]) => member !== subject)) }),
  },
);

/** Refuses a change in a project that an operator has disabled. */
export const projectDisabled: Refusal = {
  code: 'project-disabled',
  kind: 'forbidden',
  detail: 'the project is disabled: an operator can enable it',
};

export interface ProjectChanges {
  /** Null removes it. */
  readonly description?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
}

/** Changes description and labels; nothing to do where both stay as they are. */
export function updateProject(
  state: ProjectState,
  changes: ProjectChanges,
  ifMatch?: number,
): Decision<ProjectUpdated> {
  const refusal = existenceRefusal('the project', state, ifMatch) ?? (state.disabled ? projectDisabled : undefined);
  if (refusal) return refuse(refusal);
  const description = changes.description === undefined ? state.description : (changes.description ?? '');
  const labels = changes.labels === undefined ? state.labels : mergeLabels(state.labels, changes.labels);
  const problems = labelProblems(labels);
  if (problems.length > 0) return refuse(brokenRules(problems));
  const { description: described, labels: labelled } = state;
  const data = { description, labels };
  if (diffJson({ description: described, labels: labelled }, data).length === 0) return accept();
  return accept({ type: 'ProjectUpdated', data });
}

/** Disables or enables the project; nothing to do where it is so already. */
export function setProjectDisabled(
  state: ProjectState,
  disabled: boolean,
  ifMatch?: number,
): Decision<ProjectDisabled | ProjectEnabled> {
  const refusal = existenceRefusal('the project', state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.disabled === disabled) return accept();
  return accept({ type: disabled ? 'ProjectDisabled' : 'ProjectEnabled', data: {} });
}

/** Deletes the project. `contents` names the types of resources that it still has; the project with the id `kept` always stays. */
export function deleteProject(
  state: ProjectState,
  {
    contents,
    kept,
    ifMatch,
  }: { readonly contents: readonly string[]; readonly kept: string; readonly ifMatch?: number | undefined },
): Decision<ProjectDeleted> {
  const refusal = existenceRefusal('the project', state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.project.id === kept) return refuse(conflict('default-project', `the project ${kept} always stays`));
  if (contents.length > 0)
    return refuse({
      ...conflict('project-not-empty', `the project has resources: ${contents.join(', ')}`),
      extra: { contents: [...contents] },
    });
  return accept({ type: 'ProjectDeleted', data: {} });
}
