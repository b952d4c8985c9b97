import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@stave/platform';
import { LOGGER } from '../composition/ports.js';
import { FairSlots } from './fair-slots.js';
import { HOOK_CONCURRENCY, HOOK_HOSTS, isHookAllowed } from './hook-hosts.js';

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const TIMEOUT_MS = 5_000;

/** What became of the call of a hook. */
export interface HookOutcome {
  readonly url: string;
  readonly delivered: boolean;
  readonly attempts: number;
}

interface HookCall {
  readonly url: string;
  /** The project of what is released: projects share the places for calls. */
  readonly project: string;
  readonly body: object;
  /** Records what became of it. */
  readonly note: (outcome: HookOutcome) => Promise<unknown>;
}

/**
 * Asks the hosts of hooks to release what has to go: each once, with a few attempts. After a restart, or where another replica takes over in
 * between, a host may be asked again.
 */
@Injectable()
export class HookCalls implements OnModuleDestroy {
  private readonly calling = new Set<string>();
  private readonly stopped = new AbortController();
  private readonly slots: FairSlots;

  constructor(
    @Inject(HOOK_HOSTS) private readonly hosts: readonly string[],
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(HOOK_CONCURRENCY) concurrency: number,
  ) {
    this.slots = new FairSlots(concurrency);
  }

  onModuleDestroy(): void {
    this.stopped.abort();
    this.slots.end(new Error('the service stops'));
  }

  /** Begins to call the hook of the resource, unless that is under way. */
  begin(id: string, call: HookCall): void {
    if (this.calling.has(id)) return;
    this.calling.add(id);
    void this.callInTurn(call)
      .catch((err: unknown) => {
        if (!this.stopped.signal.aborted) this.log.error({ err, resource: id }, 'the call of a hook was not noted');
      })
      .finally(() => this.calling.delete(id));
  }

  private async callInTurn({ url, project, body, note }: HookCall): Promise<void> {
    const text = JSON.stringify(body);
    const most = isHookAllowed(this.hosts, url) ? ATTEMPTS : 0;
    let attempts = 0;
    let delivered = false;
    while (attempts < most && !delivered) {
      if (attempts > 0) await wait(FIRST_WAIT_MS * 2 ** attempts, undefined, { signal: this.stopped.signal });
      attempts += 1;
      // the pauses between attempts hold no place
      delivered = await this.slots.run(project, () => this.post(url, text));
    }
    await note({ url, delivered, attempts });
  }

  /** Resolves to whether the host has taken the request. A redirection is not followed: only listed hosts are called. */
  private async post(url: string, body: string): Promise<boolean> {
    try {
      const signal = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
      return answer.ok;
    } catch (error) {
      this.stopped.signal.throwIfAborted();
      this.log.warn({ err: error, host: new URL(url).host }, 'the host of a hook does not answer');
      return false;
    }
  }
}
