import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '@stave/contracts';
import { getOrCreate, omitUndefined } from '@stave/domain';
import { member } from '../http/members.js';
import { unauthenticated } from '../problems/refusals.js';
import { ServiceClient } from '../services/service-client.js';
import { ApiKeyCache } from './api-key-cache.js';
import { KeyRevocations } from './key-revocations.js';

function isActor(value: unknown): value is Actor {
  const project = member(value, 'project');
  const isRole = ['reader', 'member', 'admin'].includes(String(member(value, 'role')));
  return typeof member(value, 'keyId') === 'string' && isRole && (project === null || typeof project === 'string');
}

const keyIn = (header = ''): string | undefined => /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
const hashOf = (key: string): string => hash('sha256', key, 'base64');

/** Finds the actor of an `Authorization` header. Keys are stored as hashes only and never logged. */
@Injectable()
export class Authenticator {
  private readonly cache = new ApiKeyCache();
  private readonly asking = new Map<string, Promise<Actor>>();

  constructor(
    private readonly services: ServiceClient,
    revocations: KeyRevocations,
  ) {
    revocations.onRevoked(id => this.cache.revoke(id));
  }

  /** Returns the actor of a key that was verified a moment ago. */
  known(header: string | undefined): Actor | undefined {
    const key = keyIn(header);
    return key === undefined ? undefined : this.cache.get(hashOf(key));
  }

  /** Throws RefusedError (unauthenticated), or the error of the messaging when cluster-service does not answer. */
  async authenticate(header: string | undefined, correlationId: string): Promise<Actor> {
    const key = keyIn(header);
    if (key === undefined) throw unauthenticated();
    const hashed = hashOf(key);
    return this.cache.get(hashed) ?? this.verifyOnce(hashed, key, correlationId);
  }

  /** Sends one verification for concurrent requests with the same key. */
  private verifyOnce(hashed: string, key: string, correlationId: string): Promise<Actor> {
    const ask = () => this.verify(hashed, key, correlationId).finally(() => this.asking.delete(hashed));
    return getOrCreate(this.asking, hashed, ask);
  }

  private async verify(hashed: string, key: string, correlationId: string): Promise<Actor> {
    const meta = { correlationId, actor: { keyId: 'gateway', role: 'reader', project: null } as const };
    const { data } = await this.services.ask('api-key', 'verify', meta, { key });
    if (!isActor(data)) throw new Error('cluster-service answered api-key.verify without keyId, role and project');
    const { keyId, name, role, project } = data;
    const actor = { keyId, role, project, ...omitUndefined({ name }) };
    if (!this.cache.put(hashed, actor)) throw unauthenticated();
    return actor;
  }
}
