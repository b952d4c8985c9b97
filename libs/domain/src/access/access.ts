import type { DomainEvent, EventOf } from '../kernel/decider.js';
import { defineResourceStream } from '../kernel/stream-definition.js';

export type Role = 'reader' | 'member' | 'admin';

/** A project was created. */
export type ProjectCreated = DomainEvent<'ProjectCreated', { readonly id: string; readonly name: string }>;

interface ApiKeyEvents {
  /**
   * An API key was created; only its SHA-256 hash is stored. `project` is null for an administrator of the installation.
   */
  ApiKeyCreated: {
    readonly id: string;
    readonly name: string;
    readonly project: string | null;
    readonly role: Role;
    readonly hash: string;
  };
  /** The API key was revoked. */
  ApiKeyRevoked: { readonly id: string };
}

export type ApiKeyCreated = EventOf<ApiKeyEvents, 'ApiKeyCreated'>;
export type ApiKeyRevoked = EventOf<ApiKeyEvents, 'ApiKeyRevoked'>;
type ApiKeyEvent = EventOf<ApiKeyEvents>;

export interface ProjectState {
  readonly project: ProjectCreated['data'];
  readonly createdAt: string;
  readonly updatedAt: string;
}
export interface ApiKeyState {
  readonly key: ApiKeyCreated['data'];
  readonly deleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const projectStream = defineResourceStream<ProjectState, ProjectCreated, 'ProjectCreated'>(
  'project',
  { ProjectCreated: (project, time) => ({ project, createdAt: time, updatedAt: time }) },
  {},
);

export const apiKeyStream = defineResourceStream<ApiKeyState, ApiKeyEvent, 'ApiKeyCreated'>(
  'apiKey',
  { ApiKeyCreated: (key, time) => ({ key, deleted: false, createdAt: time, updatedAt: time }) },
  { ApiKeyRevoked: s => ({ ...s, deleted: true }) },
);
