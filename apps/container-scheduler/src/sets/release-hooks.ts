import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { noteReleaseRequested, type ContainerState } from '@stave/domain';
import type { Logger } from '@stave/platform';
import { LOGGER, type EventContext } from '@stave/service-kit';
import { HOOK_HOSTS, isHookAllowed } from '../policies/hook-hosts.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const TIMEOUT_MS = 5_000;

/** Whether the hook of the removal that waits has not been called yet. */
export const awaitsCall = ({ release }: ContainerState): boolean => release?.url !== undefined && !release.isRequested;

/**
 * Asks the hosts of hooks to release containers: each once, with a few attempts. After a restart, or where another replica takes over in
 * between, a host may be asked again.
 */
@Injectable()
export class ReleaseHooks implements OnModuleDestroy {
  private readonly calling = new Set<string>();
  private readonly stopped = new AbortController();

  constructor(
    private readonly projection: SchedulerProjection,
    @Inject(HOOK_HOSTS) private readonly hosts: readonly string[],
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleDestroy(): void {
    this.stopped.abort();
  }

  /** Begins to call the hook of the container, unless that is under way or done. */
  call(container: ContainerState | undefined, context: EventContext): void {
    const { id } = container?.declared ?? { id: '' };
    if (!container || !awaitsCall(container) || this.calling.has(id)) return;
    this.calling.add(id);
    void this.callInTurn(container, context)
      .catch((err: unknown) => {
        if (!this.stopped.signal.aborted) this.log.error({ err, container: id }, 'the call of a hook was not noted');
      })
      .finally(() => this.calling.delete(id));
  }

  private async callInTurn({ declared, release }: ContainerState, context: EventContext): Promise<void> {
    const { url = '', until = '', onTimeout, setId } = release ?? {};
    const { id: containerId, name, clusterId } = declared;
    const body = JSON.stringify({ containerId, name, setId, clusterId, until, onTimeout });
    const most = isHookAllowed(this.hosts, url) ? ATTEMPTS : 0;
    let attempts = 0;
    let delivered = false;
    while (attempts < most && !delivered) {
      if (attempts > 0) await wait(FIRST_WAIT_MS * 2 ** attempts, undefined, { signal: this.stopped.signal });
      attempts += 1;
      delivered = await this.post(url, body);
    }
    const outcome = { url, delivered, attempts };
    await this.projection.containers.execute(containerId, s => noteReleaseRequested(s, until, outcome), context);
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
