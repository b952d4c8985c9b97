import type { DomainEvent } from '../kernel/decider.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';

export type Role = 'reader' | 'member' | 'admin';

/** A project was created. */
export type ProjectCreated = DomainEvent<'ProjectCreated', { readonly id: string; readonly name: string }>;
/**
 * An API key was created; only its SHA-256 hash is stored. `project` is null for an administrator of the installation.
 */
export type ApiKeyCreated = DomainEvent<
  'ApiKeyCreated',
  {
    readonly id: string;
    readonly name: string;
    readonly project: string | null;
    readonly role: Role;
    readonly hash: string;
  }
>;
/** The API key was revoked. */
export type ApiKeyRevoked = DomainEvent<'ApiKeyRevoked', { readonly id: string }>;
type ApiKeyEvent = ApiKeyCreated | ApiKeyRevoked;

export interface ProjectState {
  readonly project?: ProjectCreated['data'];
  readonly createdAt: string;
}
export interface ApiKeyState {
  readonly key?: ApiKeyCreated['data'];
  readonly deleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const initialProject: ProjectState = { createdAt: '' };
const initialApiKey: ApiKeyState = { deleted: false, createdAt: '', updatedAt: '' };

const evolveProject = (state: ProjectState, event: ProjectCreated, time: string): ProjectState =>
  event.type === 'ProjectCreated' ? { project: event.data, createdAt: time } : state;

function evolveApiKey(state: ApiKeyState, event: ApiKeyEvent, time: string): ApiKeyState {
  switch (event.type) {
    case 'ApiKeyCreated':
      return { key: event.data, deleted: false, createdAt: time, updatedAt: time };
    case 'ApiKeyRevoked':
      return { ...state, deleted: true, updatedAt: time };
    default:
      return ignoreUnknownEvent(state, event);
  }
}

export const projectStream: StreamDefinition<ProjectState, ProjectCreated> = {
  category: 'project',
  initial: initialProject,
  evolve: evolveProject,
};

export const apiKeyStream: StreamDefinition<ApiKeyState, ApiKeyEvent> = {
  category: 'apiKey',
  initial: initialApiKey,
  evolve: evolveApiKey,
};
