import { createHash, randomBytes } from 'node:crypto';
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
import {
  mayTouch,
  notFoundError,
  ReplyWithPosition,
  requestContext,
  ResourceModel,
  type Folded,
  type ServiceRuntime,
  listIndexes,
  valuesOf,
} from '@stave/service-kit';
import type { EventStore } from '@stave/platform';

const ownKey = conflict(
  'own-key',
  'an administrator of the installation cannot revoke the key in use; use another one',
);
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
export const newKey = (): string => `stave_${randomBytes(32).toString('base64url')}`;

/** API keys: shown once, kept as hashes. */
export class AccessKeys {
  readonly model: ResourceModel<ApiKeyState>;
  private readonly byHash = new Map<string, string>();

  get folded(): Folded['folded'] {
    return { model: this.model, byHash: this.byHash };
  }

  constructor(
    store: EventStore,
    private readonly runtime: ServiceRuntime,
  ) {
    this.model = new ResourceModel<ApiKeyState>(apiKeyStream, store);
    runtime.folds('keys', this);
    runtime.feed.on('apiKey', event => {
      this.model.apply(event);
      const { key } = this.model.get(event.stream.slice('apiKey-'.length)) ?? {};
      if (key) this.byHash.set(key.hash, key.id);
      runtime.mark('apiKeys', event.stream.slice('apiKey-'.length));
    });
    const show = (state: ApiKeyState): ResourceDocument | undefined =>
      state.key && !state.revoked ? keyFields(state) : undefined;
    runtime.plans.describe<ApiKeyState>('apiKey', { type: 'apiKey', show });
    runtime.addReadModel({
      name: 'apiKeys',
      indexes: listIndexes({ sorts: [], filters: [] }),
      all: () => [...this.model.all()].map(([id, { position }]) => [id, position] as const),
      document: id => {
        const entry = this.model.entry(id);
        if (!entry?.state.key) return undefined;
        return { _id: id, position: entry.position, deleted: entry.state.revoked, ...keyFields(entry.state) };
      },
    });
  }

  /** Whose key this is; refused when it is nobody's or revoked. */
  async verify(key: string): Promise<Actor> {
    const hash = hashOf(key);
    if (!this.byHash.has(hash)) await this.runtime.feed.caughtUp();
    const state = this.model.get(this.byHash.get(hash) ?? '');
    if (!state?.key || state.revoked)
      throw new RefusedError({ code: 'unauthenticated', kind: 'unauthenticated', detail: 'this key opens nothing' });
    return { keyId: state.key.id, role: state.key.role, project: state.key.project };
  }

  /** The key itself is in the first answer only: a repeat of the request answers without it. */
  async create(
    meta: RequestMeta,
    { project, role }: { readonly project: string; readonly role: Role },
  ): Promise<ReplyWithPosition<unknown>> {
    const key = newKey();
    const hash = valuesOf(meta).conceal(hashOf(key));
    const accepted = (): Promise<void> => Promise.resolve();
    return this.runtime.ledger.run(meta, { project, role }, this.runtime.newIds(meta), accepted, async ids => {
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

  /** Nobody locks the installation: an administrator's key is revoked with another one. */
  async revoke(meta: RequestMeta, id: string): Promise<ReplyWithPosition<unknown>> {
    const accepted = async (): Promise<void> => {
      const { state } = await this.model.load(id);
      if (!state.key || state.revoked || !mayTouch(meta.actor, state.key.project ?? ''))
        throw new RefusedError(notFoundError('the API key'));
      if (state.key.project === null && id === meta.actor.keyId) throw new RefusedError(ownKey);
    };
    if (meta.idempotencyKey === undefined) await accepted();
    return this.runtime.ledger.run(meta, { id }, this.runtime.newIds(meta), accepted, async ({ requestId }) => {
      const { state } = await this.model.load(id);
      const { state: after, position } = await this.model.execute(
        id,
        s => (s.revoked ? accept() : accept<ApiKeyRevoked>({ type: 'ApiKeyRevoked', data: { id } })),
        requestContext(meta, { requestId }, state.key?.project ?? ''),
      );
      return new ReplyWithPosition({ resource: keyFields(after) }, position);
    });
  }

  /** Makes this the administrator's key, if it is not. */
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

function keyFields(state: ApiKeyState): ResourceDocument {
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
