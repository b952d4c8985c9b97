import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor, type ResourceDocument } from '@stave/contracts';
import {
  accept,
  apiKeyStream,
  stableId,
  type ApiKeyCreated,
  type ApiKeyRevoked,
  type ApiKeyState,
} from '@stave/domain';
import { idOf } from '@stave/platform';
import {
  Feed,
  modelsOf,
  RECONCILER,
  retention,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
} from '@stave/service-kit';

export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
export const newKey = (): string => `stave_${randomBytes(32).toString('base64url')}`;

/** API keys, found by their hashes. */
@Injectable()
export class ApiKeyProjection extends modelsOf({ model: apiKeyStream }) implements Projection {
  private readonly byHash = new Map<string, string>();

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('apiKey', event => {
      this.model.apply(event);
      const { key } = this.model.get(idOf(event)) ?? {};
      if (key) this.byHash.set(key.hash, key.id);
      changed('api-key', idOf(event), event);
    });
  }

  retentions(): readonly Retention[] {
    return [retention(this.model, { forget: (_id, state) => state && this.byHash.delete(state.key.hash) })];
  }

  withHash(hash: string): ApiKeyState | undefined {
    return this.model.get(this.byHash.get(hash) ?? '');
  }
}

/** Verifies API keys, which are stored as hashes. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly feed: Feed,
    private readonly projection: ApiKeyProjection,
  ) {}

  /**
   * Returns the actor that the key belongs to. Throws RefusedError `unauthenticated` for an unknown or revoked key, and `newer-release` where
   * this replica may lack a revocation.
   */
  async verify(key: string): Promise<Actor> {
    this.feed.newer.requireComplete('apiKey');
    const hash = hashOf(key);
    if (!this.projection.withHash(hash)) await this.feed.caughtUp();
    const state = this.projection.withHash(hash);
    if (!state || state.deleted)
      throw new RefusedError({
        code: 'unauthenticated',
        kind: 'unauthenticated',
        detail: 'the API key is unknown or revoked',
      });
    return { keyId: state.key.id, name: state.key.name, role: state.key.role, project: state.key.project };
  }

  /** Registers the key as one of the installation's administrator. Idempotent. Throws Error for a revoked key. */
  async ensureAdministrator(key: string): Promise<void> {
    const hash = hashOf(key);
    const id = administratorId(hash);
    const data = { id, name: 'administrator', project: null, role: 'admin' as const, hash };
    const { model } = this.projection;
    const { state } = await model.load(id);
    if (state?.deleted)
      throw new Error("the administrator's key was revoked; npm run admin-key:rotate makes a new one");
    await model.create(id, () => accept<ApiKeyCreated>({ type: 'ApiKeyCreated', data }), {
      correlationId: id,
      actor: RECONCILER,
    });
  }

  /** Revokes keys of the installation's administrator that were rotated out, by their hashes. Idempotent. */
  async revokeAdministrators(hashes: readonly string[]): Promise<void> {
    const { model } = this.projection;
    for (const id of hashes.map(administratorId)) {
      const { state } = await model.load(id);
      if (!state || state.deleted) continue;
      const revoked = { type: 'ApiKeyRevoked', data: { id } } as const;
      await model.execute(id, s => (s.deleted ? accept() : accept<ApiKeyRevoked>(revoked)), {
        correlationId: id,
        actor: RECONCILER,
      });
    }
  }
}

const administratorId = (hash: string): string => stableId('administrator', hash);

/** Returns the fields of a key that clients see. */
export function keyFields({ key, createdAt, updatedAt, deleted }: ApiKeyState): ResourceDocument {
  return {
    id: key.id,
    name: key.name,
    projectId: key.project,
    project: key.project,
    role: key.role,
    createdAt,
    updatedAt,
    revision: deleted ? 2 : 1,
  };
}
