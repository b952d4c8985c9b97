import { randomUUID } from 'node:crypto';
import type { EpochReply, RegisterReply, RegisterRequest } from '@stave/contracts';
import type { OfferedDriver } from '@stave/domain';
import type { Logger } from 'pino';
import type { ConductorIdentity, ConductorTimes } from '../config/conductor.settings.js';
import type { ServiceClient } from '../service-client.js';
import { backoffMs } from '../time/backoff.js';
import { pause, type Clock } from '../time/clock.js';
import { Session } from './session.js';
import { SessionGuard } from './session-guard.js';

export interface RegistrarParts {
  readonly client: ServiceClient;
  readonly identity: ConductorIdentity;
  readonly offered: readonly OfferedDriver[];
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly log: Logger;
}

/** Registers the conductor with cluster-service. */
export class Registrar {
  constructor(private readonly parts: RegistrarParts) {}

  /**
   * Tries until it is answered, with back-off; undefined when the signal fired. Each try is a session of its own: what a try
   * without an answer may have started expires by itself, and one that arrives after a later try is refused.
   */
  async register(signal: AbortSignal): Promise<Session | undefined> {
    const { clock, times, log } = this.parts;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        return await this.tryOnce();
      } catch (error) {
        log.warn({ err: error, attempt }, 'registration was not answered, trying again');
        await pause(clock, backoffMs(attempt, times.retry), signal);
      }
    }
    return undefined;
  }

  private async tryOnce(): Promise<Session> {
    const { client, clock, times, identity, offered } = this.parts;
    const { epoch: basedOn } = await client.ask<EpochReply>('cluster-service', ['conductor', 'epoch'], {});
    const session = randomUUID();
    const { id: conductor, group, weight, release, keyMode } = identity;
    const own = { conductor, group, drivers: offered, weight, release, keyMode };
    const request: RegisterRequest = { ...own, session, basedOn };
    const sentAt = clock.now();
    const terms = await client.ask<RegisterReply>('cluster-service', ['conductor', 'register'], request);
    const guard = new SessionGuard(clock, sentAt, terms.sessionTimeoutMs * (1 - times.guardMargin));
    return new Session(session, terms, guard, clock);
  }
}
