import type { Readable } from 'node:stream';
import type { LogPiece, LogStreamNext, RequestMeta } from '@stave/contracts';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { LOG, MESSAGING, type GatewayLog } from '../gateway.tokens.js';
import { member } from '../http/members.js';
import { FollowedLog } from './followed-log.js';
import { ServiceClient } from '../services/service-client.js';

/** Longer than a conductor waits for new text before it answers. */
const PIECE_TIMEOUT_MS = 6_000;

/** Holds the logs that clients follow. */
@Injectable()
export class LogFollower implements OnModuleDestroy {
  private readonly open = new Set<Readable>();
  private closed = false;

  constructor(
    private readonly services: ServiceClient,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: GatewayLog,
  ) {}

  /** Returns the text as a stream, which fails when the log cannot be read further. Throws what `ServiceClient.ask` throws. */
  async follow(meta: RequestMeta, body: { readonly id: string; readonly tail: unknown }): Promise<Readable> {
    const { data } = await this.services.ask('container', 'follow-logs', meta, body);
    const subject = member(data, 'subject');
    if (typeof subject !== 'string') throw new Error('the reply to container.follow-logs has no subject');
    const text = new FollowedLog(
      next => this.ask(subject, next),
      error =>
        this.log.debug(
          { err: error },
          'the conductor was not notified that a client stopped following a log; it stops after its time limit',
        ),
    );
    this.open.add(text);
    text.once('close', () => this.open.delete(text));
    if (this.closed) text.destroy();
    return text;
  }

  /** Ends all of them; clients can follow them through another gateway. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const text of this.open) text.destroy();
  }

  private async ask(subject: string, next: LogStreamNext): Promise<LogPiece> {
    const reply = await this.messaging.request(subject, next, { timeoutMs: PIECE_TIMEOUT_MS });
    const data = member(reply, 'data');
    if (!isPiece(data)) throw new Error('the reply of the conductor is not a piece of a log');
    return data;
  }
}

const isPiece = (data: unknown): data is LogPiece =>
  typeof member(data, 'text') === 'string' && typeof member(data, 'done') === 'boolean';
