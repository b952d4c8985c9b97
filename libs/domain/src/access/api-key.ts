import {
  accept,
  acceptUnless,
  brokenRules,
  existenceRefusal,
  refuse,
  type Decision,
  type EventOf,
} from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { defineResourceStream } from '../kernel/stream-definition.js';

/** What a key may do in its project. A key without a project has the role admin, and is one of an operator of the installation. */
export type Role = 'reader' | 'member' | 'admin';

interface ApiKeyEvents {
  /**
   * An API key was created; only the SHA-256 hash of its secret is stored. `project` is null for an operator of the installation. `prefix`
   * is the readable beginning of the secret, and absent for keys of earlier releases. Without `expiresAt` the key does not expire.
   */
  ApiKeyCreated: {
    readonly id: string;
    readonly name: string;
    readonly project: string | null;
    readonly role: Role;
    readonly hash: string;
    readonly prefix?: string;
    readonly expiresAt?: string;
  };
  /**
   * The API key got a new secret, its `rotation`-th. The former one is valid until `formerUntil`, and those before it no longer. Without
   * `expiresAt` the key expires when it did before.
   */
  ApiKeyRotated: {
    readonly id: string;
    readonly rotation: number;
    readonly hash: string;
    readonly prefix: string;
    readonly formerUntil: string;
    readonly expiresAt?: string;
  };
  /** The API key was revoked, with all its secrets. */
  ApiKeyRevoked: { readonly id: string };
}

export type ApiKeyCreated = EventOf<ApiKeyEvents, 'ApiKeyCreated'>;
export type ApiKeyRotated = EventOf<ApiKeyEvents, 'ApiKeyRotated'>;
export type ApiKeyRevoked = EventOf<ApiKeyEvents, 'ApiKeyRevoked'>;
type ApiKeyEvent = EventOf<ApiKeyEvents>;

export interface ApiKeyState {
  /** As created, with the present secret. */
  readonly key: ApiKeyCreated['data'];
  /** How often the secret was replaced. */
  readonly rotation: number;
  /** The hash of the secret before, and until when it is valid. */
  readonly former?: { readonly hash: string; readonly until: string };
  readonly revision: number;
  readonly deleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const apiKeyStream = defineResourceStream<ApiKeyState, ApiKeyEvent, 'ApiKeyCreated'>(
  'apiKey',
  {
    ApiKeyCreated: (key, time) => ({
      key,
      rotation: 0,
      revision: 1,
      deleted: false,
      createdAt: time,
      updatedAt: time,
    }),
  },
  {
    ApiKeyRotated: (s, { data: { rotation, hash, prefix, formerUntil, expiresAt } }) => ({
      ...s,
      key: { ...s.key, hash, prefix, ...omitUndefined({ expiresAt }) },
      rotation,
      former: { hash: s.key.hash, until: formerUntil },
      revision: s.revision + 1,
    }),
    ApiKeyRevoked: s => ({ ...s, revision: s.revision + 1, deleted: true }),
  },
);

/** Whether the key has expired at a time (ISO 8601). */
export const isExpired = ({ key: { expiresAt } }: ApiKeyState, now: string): boolean =>
  expiresAt !== undefined && expiresAt <= now;

/** Until when a secret of the key is valid: null for ever, undefined where it is not any more. The key itself is not revoked. */
export function secretValidUntil(state: ApiKeyState, hash: string, now: string): string | null | undefined {
  const { key, former } = state;
  const ends = [key.expiresAt, ...(hash === key.hash ? [] : [former?.hash === hash ? former.until : now])];
  const until = ends.filter(end => end !== undefined).sort()[0];
  if (until === undefined) return null;
  return until > now ? until : undefined;
}

const inThePast = brokenRules([
  { pointer: '/expiresAt', code: 'in-the-past', detail: 'the key would have expired already' },
]);

/** Refuses a key that has expired before it exists. Times are ISO 8601 in UTC. */
export function createApiKey(key: ApiKeyCreated['data'], now: string): Decision<ApiKeyCreated> {
  if (key.expiresAt !== undefined && key.expiresAt <= now) return refuse(inThePast);
  return accept({ type: 'ApiKeyCreated', data: key });
}

export interface NewSecret {
  readonly hash: string;
  readonly prefix: string;
  /** When the former secret ends; a time that is not after `now` ends it at once. */
  readonly formerUntil: string;
  readonly expiresAt?: string;
}

/** Replaces the secret. Refuses where the key would be expired afterwards: then a time of expiry is required. */
export function rotateApiKey(
  state: ApiKeyState,
  secret: NewSecret,
  now: string,
  ifMatch?: number,
): Decision<ApiKeyRotated> {
  const refusal = existenceRefusal('the API key', state, ifMatch);
  if (refusal) return refuse(refusal);
  const expiresAt = secret.expiresAt ?? state.key.expiresAt;
  if (expiresAt !== undefined && expiresAt <= now) return refuse(inThePast);
  const data = { id: state.key.id, rotation: state.rotation + 1, ...secret };
  return accept({ type: 'ApiKeyRotated', data });
}

/** Revokes the key with all its secrets. Nothing to do for one that is revoked. */
export function revokeApiKey(state: ApiKeyState, ifMatch?: number): Decision<ApiKeyRevoked> {
  if (state.deleted) return accept();
  const revoked: ApiKeyRevoked = { type: 'ApiKeyRevoked', data: { id: state.key.id } };
  return acceptUnless(existenceRefusal('the API key', state, ifMatch), revoked);
}
