import type { DomainEvent } from '../kernel/decider.js';

export type Role = 'reader' | 'member' | 'admin';

/** A tenant exists. */
export type ProjectCreated = DomainEvent<'ProjectCreated', { readonly id: string; readonly name: string }>;
/** A key was made; only its SHA-256 is kept. `project` null: the administrator of the installation. */
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
/** The key opens nothing from now on. */
export type ApiKeyRevoked = DomainEvent<'ApiKeyRevoked', { readonly id: string }>;

export interface ProjectState {
  readonly project?: ProjectCreated['data'];
  readonly createdAt: string;
}
export interface ApiKeyState {
  readonly key?: ApiKeyCreated['data'];
  readonly revoked: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialProject: ProjectState = { createdAt: '' };
export const initialApiKey: ApiKeyState = { revoked: false, createdAt: '', updatedAt: '' };

export const evolveProject = (state: ProjectState, event: ProjectCreated, time: string): ProjectState =>
  event.type === 'ProjectCreated' ? { project: event.data, createdAt: time } : state;

export function evolveApiKey(state: ApiKeyState, event: ApiKeyCreated | ApiKeyRevoked, time: string): ApiKeyState {
  switch (event.type) {
    case 'ApiKeyCreated':
      return { key: event.data, revoked: false, createdAt: time, updatedAt: time };
    case 'ApiKeyRevoked':
      return { ...state, revoked: true, updatedAt: time };
    default:
      return state;
  }
}
