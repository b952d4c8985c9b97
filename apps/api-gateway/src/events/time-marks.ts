import { Inject, Injectable } from '@nestjs/common';
import { commandSubject, type RequestMeta, type TimeMark, type TimeMarkReply } from '@stave/contracts';
import type { Logger, Messaging } from '@stave/platform';
import { ask } from '@stave/service-kit';
import { randomUUID } from 'node:crypto';
import { LOG, MESSAGING } from '../gateway.tokens.js';

const TIMEOUT_MS = 2_000;

const subject = commandSubject('cluster-service', 'time-mark', 'lookup');
const actor = { keyId: 'gateway', role: 'reader', project: null } as const;

/** The marks that cluster-service keeps of the event log. */
@Injectable()
export class TimeMarks {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Resolves to a mark up to which every event is earlier than `time` (ISO 8601, UTC): the last one that is known, undefined where none is, or where cluster-service does not
   * answer. Never rejects, because positions are found without marks, too.
   */
  async before(time: string): Promise<TimeMark | undefined> {
    const meta: RequestMeta = { correlationId: randomUUID(), actor };
    try {
      const { data } = await ask<TimeMarkReply>(this.messaging, subject, { meta, body: { time } }, TIMEOUT_MS);
      return data.mark ?? undefined;
    } catch (err) {
      this.log.warn({ err }, 'no marks of the event log are known; it is read instead');
      return undefined;
    }
  }
}
