import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestMeta } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import { KeyRevocations } from '../auth/key-revocations.js';
import { member } from '../http/members.js';
import { ServiceClient } from '../services/service-client.js';
import { projectRoles, type ProjectRole } from './identity-settings.js';

export interface Membership {
  readonly projectId: string;
  readonly role: ProjectRole;
}

interface Entry {
  readonly memberships: readonly Membership[];
  readonly until: number;
}

const TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

/** Knows in which projects a subject is a member. What it knows of a subject is forgotten with each change of its memberships, and after a few seconds. */
@Injectable()
export class Memberships {
  private readonly entries = new Map<string, Entry>();
  private readonly asking = new Map<string, Promise<readonly Membership[]>>();
  /** The position of the last change of any membership; -1: none since the start. */
  private changedAt = -1;

  constructor(
    private readonly services: ServiceClient,
    revocations: KeyRevocations,
  ) {
    revocations.onMemberChange(({ subject, position }) => {
      this.changedAt = position;
      this.asking.delete(subject);
      this.entries.delete(subject);
    });
  }

  /** Throws the error of the messaging when cluster-service does not answer. */
  async of(subject: string): Promise<readonly Membership[]> {
    const entry = this.entries.get(subject);
    if (entry && entry.until > performance.now()) return entry.memberships;
    const asked = getOrCreate(this.asking, subject, () => this.ask(subject));
    const forget = (): void => void (this.asking.get(subject) === asked && this.asking.delete(subject));
    const memberships = await asked.finally(forget);
    return memberships;
  }

  private async ask(subject: string): Promise<readonly Membership[]> {
    const changedBefore = this.changedAt;
    const actor = { keyId: 'gateway', role: 'reader', project: null } as const;
    const meta: RequestMeta = { correlationId: randomUUID(), actor };
    const { data } = await this.services.ask('project', 'memberships', meta, { subject });
    if (!Array.isArray(data)) throw new Error('cluster-service answered project.memberships without a list');
    const memberships = data.map(membershipIn);
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    if (this.changedAt === changedBefore) this.entries.set(subject, { memberships, until: performance.now() + TTL_MS });
    return memberships;
  }
}

function membershipIn(document: unknown): Membership {
  const [projectId, role] = [member(document, 'id'), member(document, 'role')];
  const known = projectRoles.find(each => each === role);
  if (typeof projectId !== 'string' || !known)
    throw new Error('cluster-service answered a membership without project or role');
  return { projectId, role: known };
}
