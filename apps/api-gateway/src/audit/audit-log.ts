import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AUDIT_BATCH, commandSubject, type AuditEntry, type RequestMeta } from '@stave/contracts';
import type { Logger, Messaging } from '@stave/platform';
import { ask } from '@stave/service-kit';
import { randomUUID } from 'node:crypto';
import { LOG, MESSAGING } from '../gateway.tokens.js';

/** How long an entry waits for others, so that one append keeps all of them. */
const GATHER_MS = 50;
const RETRY_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** Entries that wait while cluster-service or its event store is away; older ones are dropped then, and counted in the log. */
const MAX_WAITING = 20_000;

const subject = commandSubject('cluster-service', 'audit', 'record');
const actor = { keyId: 'gateway', role: 'reader', project: null } as const;

/** Hands the entries of the audit over to cluster-service, all of a moment at once. Requests do not wait for it. */
@Injectable()
export class AuditLog implements OnApplicationShutdown {
  private waiting: AuditEntry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<boolean> = Promise.resolve(true);
  private isAway = false;
  /** Entries that are not complete yet. */
  private readonly coming = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  add(entry: AuditEntry): void {
    this.waiting.push(entry);
    this.dropOldest();
    if (!this.isStopped) this.timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Adds an entry when it is complete; the promise must not reject. */
  addLater(entry: Promise<AuditEntry>): void {
    const added = entry.then(complete => {
      this.coming.delete(added);
      this.add(complete);
    });
    this.coming.add(added);
  }

  /** Entries of the last moment are handed over once more; what is refused then is counted in the log. */
  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.coming);
    clearTimeout(this.timer);
    await this.sending;
    while (this.waiting.length > 0 && (await this.sendNext()));
    if (this.waiting.length > 0)
      this.log.error({ entries: this.waiting.length }, 'changes are not in the audit: the gateway stops');
  }

  private flush(): void {
    this.timer = undefined;
    this.sending = this.sending.then(() => this.sendNext());
    void this.sending.then(isSent => {
      if (this.waiting.length > 0 && !this.isStopped)
        this.timer ??= setTimeout(() => this.flush(), isSent ? 0 : RETRY_MS).unref();
    });
  }

  /** Returns whether the entries were kept; otherwise they wait. */
  private async sendNext(): Promise<boolean> {
    const entries = this.waiting.splice(0, AUDIT_BATCH);
    if (entries.length === 0) return true;
    const meta: RequestMeta = { correlationId: randomUUID(), actor };
    try {
      await ask(this.messaging, subject, { meta, body: { entries } }, TIMEOUT_MS);
      this.isAway = false;
      return true;
    } catch (err) {
      if (!this.isAway) this.log.warn({ err }, 'the audit waits: cluster-service does not keep its entries');
      this.isAway = true;
      this.waiting.unshift(...entries);
      this.dropOldest();
      return false;
    }
  }

  private dropOldest(): void {
    const over = this.waiting.length - MAX_WAITING;
    if (over <= 0) return;
    // not one by one: each removal moves all others
    const lost = this.waiting.splice(0, Math.max(over, AUDIT_BATCH));
    this.log.error({ entries: lost.length }, 'changes are not in the audit: too many wait');
  }
}
