import type { DomainEvent } from '../kernel/decider.js';
import { defineResourceStream } from '../kernel/stream-definition.js';

/** A project was created. */
export type ProjectCreated = DomainEvent<'ProjectCreated', { readonly id: string; readonly name: string }>;

export interface ProjectState {
  readonly project: ProjectCreated['data'];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const projectStream = defineResourceStream<ProjectState, ProjectCreated, 'ProjectCreated'>(
  'project',
  { ProjectCreated: (project, time) => ({ project, createdAt: time, updatedAt: time }) },
  {},
);
