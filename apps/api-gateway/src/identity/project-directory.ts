import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { KeyRevocations } from '../auth/key-revocations.js';
import { member } from '../http/members.js';
import { ServiceClient } from '../services/service-client.js';

export interface KnownProject {
  readonly id: string;
  readonly name: string;
  readonly isDisabled: boolean;
}

interface Entry {
  readonly project: KnownProject | undefined;
  readonly until: number;
}

const TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

/** Finds projects by id or name. What it knows is forgotten when a project is created, disabled, enabled or deleted, and after a few seconds. */
@Injectable()
export class ProjectDirectory {
  private readonly entries = new Map<string, Entry>();
  /** The position of the last change; -1: none since the start. */
  private changedAt = -1;

  constructor(
    private readonly services: ServiceClient,
    revocations: KeyRevocations,
  ) {
    revocations.onProjectChange(({ position }) => {
      this.changedAt = position;
      this.entries.clear();
    });
  }

  /** Returns undefined when there is no such project. Throws the error of the messaging. */
  async find(ref: string): Promise<KnownProject | undefined> {
    const entry = this.entries.get(ref);
    if (entry && entry.until > performance.now()) return entry.project;
    const changedBefore = this.changedAt;
    const project = await this.ask(ref);
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    if (this.changedAt === changedBefore) this.entries.set(ref, { project, until: performance.now() + TTL_MS });
    return project;
  }

  private async ask(id: string): Promise<KnownProject | undefined> {
    const actor = { keyId: 'gateway', role: 'reader', project: null } as const;
    // another replica may answer than the one that made the change
    const meta: RequestMeta = { correlationId: randomUUID(), actor, minPosition: this.changedAt };
    try {
      return projectIn((await this.services.ask('project', 'get', meta, { id })).data);
    } catch (error) {
      if (error instanceof RefusedError && error.error.kind === 'not-found') return undefined;
      throw error;
    }
  }
}

function projectIn(document: unknown): KnownProject {
  const [id, name, status] = ['id', 'name', 'status'].map(field => member(document, field));
  if (typeof id !== 'string' || typeof name !== 'string')
    throw new Error('cluster-service answered a project without id or name');
  return { id, name, isDisabled: status === 'DISABLED' };
}
