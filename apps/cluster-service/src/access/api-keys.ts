import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type Actor, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  accept,
  apiKeyStream,
  conflict,
  stableId,
  type ApiKeyCreated,
  type ApiKeyRevoked,
  type ApiKeyState,
  type Role,
} from '@stave/domain';
import { idOf, type EventStore } from '@stave/platform';
import {
  EVENT_STORE,
  Feed,
  mayTouch,
  notFoundError,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  ResourceModel,
  valuesOf,
  type EventFeed,
  type Folded,
  type Projection,
  type ResourceChanged,
} from '@stave/service-kit';

const ownKey = conflict(
  'own-key',
  'an administrator of the installation cannot revoke the key in use; use another one',
);
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
export const newKey = (): string => `stave_${randomBytes(32).toString('base64url')}`;

/** API keys, found by their hashes. */
@Injectable()
export class ApiKeyProjection implements Projection {
  readonly model: ResourceModel<ApiKeyState>;
  private readonly byHash = new Map<string, string>();

  constructor(@Inject(EVENT_STORE) store: EventStore) {
    this.model = new ResourceModel(apiKeyStream, store);
  }

  get folded(): Folded['folded'] {
    return { model: this.model, byHash: this.byHash };
  }

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('apiKey', event => {
      this.model.apply(event);
      const { key } = this.model.get(idOf(event)) ?? {};
      if (key) this.byHash.set(key.hash, key.id);
      changed('api-key', idOf(event), event);
    });
  }

  withHash(hash: string): ApiKeyState | undefined {
    return this.model.get(this.byHash.get(hash) ?? '');
  }
}

/** API keys: shown once, kept as hashes. */
@Injectable()
export class ApiKeys {
  private readonly model: ResourceModel<ApiKeyState>;

  constructor(
    private readonly ledger: RequestLedger,
    private readonly feed: Feed,
    private readonly projection: ApiKeyProjection,
  ) {
    this.model = projection.model;
  }

  /** The actor that the key belongs to. Throws RefusedError `unauthenticated` for an unknown or revoked key. */
  async verify(key: string): Promise<Actor> {
    const hash = hashOf(key);
    if (!this.projection.withHash(hash)) await this.feed.caughtUp();
    const state = this.projection.withHash(hash);
    if (!state?.key || state.revoked)
      throw new RefusedError({
        code: 'unauthenticated',
        kind: 'unauthenticated',
        detail: 'the API key is unknown or revoked',
      });
    return { keyId: state.key.id, role: state.key.role, project: state.key.project };
  }

  /** Creates a key. The key itself is only in the first answer: a repeat of the request answers without it. */
  async create(
    meta: RequestMeta,
    { project, role }: { readonly project: string; readonly role: Role },
  ): Promise<ReplyWithPosition<unknown>> {
    const key = newKey();
    const hash = valuesOf(meta).conceal(hashOf(key));
    const accepted = (): Promise<void> => Promise.resolve();
    return this.ledger.run(meta, { project, role }, this.ledger.newIds(meta), accepted, async ids => {
      const { resourceId: id, requestId } = ids;
      const data = { id, name: `key-${id.slice(-6)}`, project, role, hash };
      const { state, position } = await this.model.execute(
        id,
        s => (s.key ? accept() : accept<ApiKeyCreated>({ type: 'ApiKeyCreated', data })),
        requestContext(meta, { requestId }, project),
      );
      const fresh = state.key?.hash === data.hash;
      return new ReplyWithPosition({ resource: { ...keyFields(state), ...(fresh ? { key } : {}) } }, position);
    });
  }

  /** Revokes a key; the key in use of an installation's administrator is refused, so that one always remains. */
  async revoke(meta: RequestMeta, id: string): Promise<ReplyWithPosition<unknown>> {
    const accepted = async (): Promise<void> => {
      const { state } = await this.model.load(id);
      if (!state.key || state.revoked || !mayTouch(meta.actor, state.key.project ?? ''))
        throw new RefusedError(notFoundError('the API key'));
      if (state.key.project === null && id === meta.actor.keyId) throw new RefusedError(ownKey);
    };
    if (meta.idempotencyKey === undefined) await accepted();
    return this.ledger.run(meta, { id }, this.ledger.newIds(meta), accepted, async ({ requestId }) => {
      const { state } = await this.model.load(id);
      const { state: after, position } = await this.model.execute(
        id,
        s => (s.revoked ? accept() : accept<ApiKeyRevoked>({ type: 'ApiKeyRevoked', data: { id } })),
        requestContext(meta, { requestId }, state.key?.project ?? ''),
      );
      return new ReplyWithPosition({ resource: keyFields(after) }, position);
    });
  }

  /** Registers the key as one of the installation's administrator unless it is. */
  async ensureAdministrator(key: string): Promise<void> {
    const hash = hashOf(key);
    const id = stableId('administrator', hash);
    const data = { id, name: 'administrator', project: null, role: 'admin' as const, hash };
    await this.model.load(id);
    await this.model.execute(id, s => (s.key ? accept() : accept<ApiKeyCreated>({ type: 'ApiKeyCreated', data })), {
      correlationId: id,
    });
  }
}

/** What clients see of a key. */
export function keyFields(state: ApiKeyState): ResourceDocument {
  const { key, createdAt, updatedAt, revoked } = state;
  return {
    id: key?.id ?? '',
    name: key?.name ?? '',
    projectId: key?.project ?? null,
    project: key?.project ?? null,
    role: key?.role ?? 'reader',
    createdAt,
    updatedAt,
    revision: revoked ? 2 : 1,
  };
}
