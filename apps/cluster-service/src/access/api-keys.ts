import { Injectable } from '@nestjs/common';
import { RefusedError, type ResourceDocument, type VerifiedKey } from '@stave/contracts';
import {
  accept,
  apiKeyStream,
  getOrCreate,
  omitUndefined,
  secretValidUntil,
  revokeApiKey,
  stableId,
  type ApiKeyCreated,
  type ApiKeyState,
} from '@stave/domain';
import { idOf } from '@stave/platform';
import {
  Feed,
  modelsOf,
  RECONCILER,
  retention,
  type EventContext,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
} from '@stave/service-kit';
import { Projects } from './projects.js';
import { hashOf, prefixOf } from './secrets.js';

/** API keys, found by the hashes of their secrets. */
@Injectable()
export class ApiKeyProjection extends modelsOf({ model: apiKeyStream }) implements Projection {
  private readonly byHash = new Map<string, string>();
  private readonly byProject = new Map<string, Set<string>>();

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('apiKey', event => {
      const id = idOf(event);
      const before = this.model.get(id);
      this.model.apply(event);
      const state = this.model.get(id);
      for (const hash of hashesOf(before)) this.byHash.delete(hash);
      for (const hash of hashesOf(state)) this.byHash.set(hash, id);
      this.enter(id, state);
      changed('api-key', id, event);
    });
  }

  retentions(): readonly Retention[] {
    const forget = (_id: string, state: ApiKeyState | undefined): void =>
      hashesOf(state).forEach(hash => this.byHash.delete(hash));
    return [retention(this.model, { forget })];
  }

  /** The keys of a project that are not revoked. */
  of(projectId: string): readonly string[] {
    return [...(this.byProject.get(projectId) ?? [])];
  }

  private enter(id: string, state: ApiKeyState | undefined): void {
    const project = state?.key.project ?? undefined;
    if (!state || project === undefined) return;
    const keys = getOrCreate(this.byProject, project, () => new Set<string>());
    if (state.deleted) keys.delete(id);
    else keys.add(id);
    if (keys.size === 0) this.byProject.delete(project);
  }

  withHash(hash: string): ApiKeyState | undefined {
    return this.model.get(this.byHash.get(hash) ?? '');
  }
}

/** The present secret and the one before it. */
const hashesOf = (state: ApiKeyState | undefined): readonly string[] =>
  state ? [state.key.hash, ...(state.former ? [state.former.hash] : [])] : [];

/** Verifies API keys, which are stored as hashes. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly feed: Feed,
    private readonly projection: ApiKeyProjection,
    private readonly projects: Projects,
  ) {}

  /**
   * Returns the actor that the key belongs to, and until when. Throws RefusedError `unauthenticated` for an unknown, expired or revoked key, and
   * `newer-release` where this replica may lack a revocation.
   */
  async verify(secret: string): Promise<VerifiedKey> {
    this.feed.newer.requireComplete('apiKey');
    const hash = hashOf(secret);
    if (!this.projection.withHash(hash)) await this.feed.caughtUp();
    const state = this.projection.withHash(hash);
    const now = new Date().toISOString();
    const validUntil = state && !state.deleted ? secretValidUntil(state, hash, now) : undefined;
    const project = typeof state?.key.project === 'string' ? this.projects.get(state.key.project) : undefined;
    if (!state || validUntil === undefined || project?.deleted)
      throw new RefusedError({
        code: 'unauthenticated',
        kind: 'unauthenticated',
        detail: 'a valid API key or token is required',
      });
    const { id, name, role, expiresAt = null } = state.key;
    const rotation = hash === state.key.hash ? state.rotation : state.rotation - 1;
    const isDisabled = project?.disabled === true;
    const { position } = this.feed;
    return { keyId: id, name, role, project: state.key.project, expiresAt, validUntil, rotation, isDisabled, position };
  }

  /** Registers the key as one of the installation's administrator. Idempotent. Throws Error for a revoked key. */
  async ensureAdministrator(secret: string): Promise<void> {
    const hash = hashOf(secret);
    const id = administratorId(hash);
    const prefix = omitUndefined({ prefix: prefixOf(secret) });
    const data = { id, name: 'administrator', project: null, role: 'admin' as const, hash, ...prefix };
    const { model } = this.projection;
    const { state } = await model.load(id);
    if (state?.deleted)
      throw new Error("the administrator's key was revoked; npm run admin-key:rotate makes a new one");
    await model.create(id, () => accept<ApiKeyCreated>({ type: 'ApiKeyCreated', data }), {
      correlationId: id,
      actor: RECONCILER,
    });
  }

  /** Revokes all keys of a project. Idempotent. Resolves to the position of the last revocation, or -1. */
  async revokeOf(projectId: string, context: EventContext): Promise<number> {
    await this.feed.caughtUp();
    let last = -1;
    for (const id of this.projection.of(projectId)) {
      const { position = -1 } = await this.projection.model.execute(id, state => revokeApiKey(state), context);
      last = Math.max(last, position);
    }
    return last;
  }

  /** Revokes keys of the installation's administrator that were rotated out, by their hashes. Idempotent. */
  async revokeAdministrators(hashes: readonly string[]): Promise<void> {
    const { model } = this.projection;
    for (const id of hashes.map(administratorId)) {
      const { state } = await model.load(id);
      if (state) await model.execute(id, key => revokeApiKey(key), { correlationId: id, actor: RECONCILER });
    }
  }
}

const administratorId = (hash: string): string => stableId('administrator', hash);

/** Returns the fields of a key that clients see. */
export function keyFields({ key, createdAt, updatedAt, revision }: ApiKeyState): ResourceDocument {
  const { id, name, project, role, prefix = null, expiresAt = null } = key;
  return {
    id,
    name,
    projectId: project,
    project,
    role: project === null ? 'operator' : role,
    prefix,
    expiresAt,
    lastUsedAt: null,
    createdAt,
    updatedAt,
    revision,
  };
}
