import { Injectable } from '@nestjs/common';
import { mayBeKey, RefusedError, type VerifiedKey } from '@stave/contracts';
import { getOrCreate, omitUndefined } from '@stave/domain';
import { hashOf } from '../identity/bearer-hash.js';
import { member } from '../http/members.js';
import { unauthenticated } from '../problems/refusals.js';
import { ServiceClient } from '../services/service-client.js';
import type { Credential } from './credential.js';
import { HashCache } from './hash-cache.js';
import { KeyEnds } from './key-ends.js';
import { KeyLifetimes } from './key-lifetimes.js';
import { KeyRevocations } from './key-revocations.js';

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function isVerifiedKey(value: unknown): value is VerifiedKey {
  const isRole = ['reader', 'member', 'admin'].includes(String(member(value, 'role')));
  const isFlag = typeof member(value, 'isDisabled') === 'boolean';
  const isTexts = ['project', 'expiresAt', 'validUntil'].every(name => isTextOrNull(member(value, name)));
  return (
    typeof member(value, 'keyId') === 'string' &&
    ['rotation', 'position'].every(name => typeof member(value, name) === 'number') &&
    isRole &&
    isTexts &&
    isFlag
  );
}

/** A bearer has up to 16 kB: many tokens are longer than a key. */
const BEARER = /^Bearer +([\x21-\x7e]{1,16384})$/i;

/** Returns the credential in an `Authorization` header; undefined when there is none. */
export const bearerIn = (header = ''): string | undefined => BEARER.exec(header)?.[1];

const TTL_MS = 5_000;

/** Finds what an API key admits. Keys are stored as hashes only and never logged. */
@Injectable()
export class Authenticator {
  /** Never beyond the end of a key: one whose revocation was seen is not accepted again, also when the reply to an earlier verification arrives later. */
  private readonly cache: HashCache<Credential>;
  private readonly asking = new Map<string, Promise<Credential>>();

  constructor(
    private readonly services: ServiceClient,
    private readonly lifetimes: KeyLifetimes,
    ends: KeyEnds,
    revocations: KeyRevocations,
  ) {
    this.cache = new HashCache({ ttlMs: TTL_MS, isValid: credential => ends.endOf(credential) > Date.now() });
    revocations.onProjectChange(({ projectId }) => this.cache.forget(({ actor }) => actor.project === projectId));
  }

  /** Returns the credential of a key that was verified a moment ago. */
  known(key: string): Credential | undefined {
    return this.cache.get(hashOf(key));
  }

  /** Throws RefusedError (unauthenticated), or the error of the messaging when cluster-service does not answer. */
  async authenticate(key: string, correlationId: string): Promise<Credential> {
    if (!mayBeKey(key)) throw unauthenticated();
    const hashed = hashOf(key);
    return this.cache.get(hashed) ?? this.verifyOnce(hashed, key, correlationId);
  }

  /** Sends one verification for concurrent requests with the same key. */
  private verifyOnce(hashed: string, key: string, correlationId: string): Promise<Credential> {
    const ask = () => this.verify(hashed, key, correlationId).finally(() => this.asking.delete(hashed));
    return getOrCreate(this.asking, hashed, ask);
  }

  private async verify(hashed: string, key: string, correlationId: string): Promise<Credential> {
    const { keyId, name, role, project, validUntil, ...verified } = await this.ask(key, correlationId);
    const { rotation, expiresAt, isDisabled, position } = verified;
    const actor = { keyId, role, project, ...omitUndefined({ name }) };
    const validUntilMs = validUntil === null ? Infinity : Date.parse(validUntil);
    const credential = { actor, rotation, expiresAt, validUntilMs, isDisabled, position };
    if (!this.cache.put(hashed, credential)) throw unauthenticated();
    this.lifetimes.admitted(credential);
    return credential;
  }

  private async ask(key: string, correlationId: string): Promise<VerifiedKey> {
    const meta = { correlationId, actor: { keyId: 'gateway', role: 'reader', project: null } as const };
    try {
      const { data } = await this.services.ask('api-key', 'verify', meta, { key });
      if (!isVerifiedKey(data)) throw new Error('cluster-service answered api-key.verify without what a key has');
      return data;
    } catch (error) {
      // every 401 says the same
      if (error instanceof RefusedError && error.error.kind === 'unauthenticated') throw unauthenticated();
      throw error;
    }
  }
}
