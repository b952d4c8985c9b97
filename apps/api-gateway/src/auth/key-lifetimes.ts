import { Injectable } from '@nestjs/common';
import type { Actor } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import { unauthenticated } from '../problems/refusals.js';
import type { Credential } from './credential.js';
import { KeyEnds } from './key-ends.js';
import { KeyRevocations } from './key-revocations.js';

/** Timers of Node take no longer time. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Whether what was admitted shows a project: its only one, or one of several. */
const isIn = ({ project, projects }: Actor, projectId: string): boolean =>
  project === projectId || projects?.includes(projectId) === true;

interface Ending {
  readonly credential: Credential;
  readonly end: () => void;
  timer?: NodeJS.Timeout;
}

/** Ends what outlives its admission, such as event streams, followed logs and waits, when the key that it was admitted with is revoked, rotated out or expires. */
@Injectable()
export class KeyLifetimes {
  /** By the actors that requests carry. */
  private readonly credentials = new WeakMap<Actor, Credential>();
  private readonly endings = new Map<string, Set<Ending>>();

  constructor(
    private readonly ends: KeyEnds,
    revocations: KeyRevocations,
  ) {
    revocations.onChange(({ keyId }) => {
      for (const ending of this.endings.get(keyId) ?? []) this.arm(ending);
    });
    revocations.onProjectChange(({ projectId, isDisabled }) => {
      if (isDisabled) this.endReads(projectId);
    });
    revocations.onMemberChange(({ projectId, subject, isRemoved }) => {
      if (isRemoved) this.endOfMember(projectId, subject);
    });
  }

  /** Remembers what a request with this actor was admitted with. */
  admitted(credential: Credential): void {
    this.credentials.set(credential.actor, credential);
  }

  /** Returns what a request was admitted with. */
  credentialOf(actor: Actor): Credential | undefined {
    return this.credentials.get(actor);
  }

  /**
   * Calls `end` when the credential of the actor ends, at once when it has. An actor that no credential admitted, which is the gateway itself, has no
   * end. Returns a function that must be called when there is nothing to end.
   */
  onEnded(actor: Actor, end: () => void): () => void {
    const credential = this.credentials.get(actor);
    if (!credential) return () => undefined;
    const ending: Ending = { credential, end };
    const endings = getOrCreate(this.endings, actor.keyId, () => new Set<Ending>());
    endings.add(ending);
    this.arm(ending);
    return () => this.remove(ending);
  }

  /** Resolves as `waiting` does. Rejects with RefusedError (unauthenticated) when the credential of the actor ends before. */
  during<R>(actor: Actor, waiting: Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const release = this.onEnded(actor, () => reject(unauthenticated()));
      waiting.then(resolve, reject).finally(release);
    });
  }

  /** Ends what readers and members of a disabled project have open. */
  private endReads(projectId: string): void {
    for (const endings of this.endings.values())
      for (const ending of endings) {
        const { actor } = ending.credential;
        if (!isIn(actor, projectId) || (actor.role === 'admin' && !actor.projects)) continue;
        this.remove(ending);
        ending.end();
      }
  }

  /** Ends what a former member has open in a project: a new request shows whether a rule still gives a role. */
  private endOfMember(projectId: string, subject: string): void {
    for (const ending of this.endings.get(subject) ?? []) {
      const { actor } = ending.credential;
      if (actor.method === undefined || !isIn(actor, projectId)) continue;
      this.remove(ending);
      ending.end();
    }
  }

  private arm(ending: Ending): void {
    clearTimeout(ending.timer);
    const inMs = this.ends.endOf(ending.credential) - Date.now();
    if (inMs <= 0) {
      this.remove(ending);
      ending.end();
    } else if (Number.isFinite(inMs))
      ending.timer = setTimeout(() => this.arm(ending), Math.min(inMs, MAX_TIMER_MS)).unref();
  }

  private remove(ending: Ending): void {
    clearTimeout(ending.timer);
    const { keyId } = ending.credential.actor;
    const endings = this.endings.get(keyId);
    if (endings?.delete(ending) && endings.size === 0) this.endings.delete(keyId);
  }
}
