import type { Readable } from 'node:stream';
import type { LogPiece, LogStreamNext, LogStreamOpened, RequestMeta } from '@stave/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import type { GatewayLog } from '../gateway-log.js';
import { LOG, MESSAGING } from '../gateway.tokens.js';
import { FollowedLog } from './followed-log.js';
import { ServiceClient } from '../services/service-client.js';

/** Longer than a conductor waits for new text before it answers. */
const PIECE_TIMEOUT_MS = 6_000;

/** Holds the logs that clients follow. */
@Injectable()
export class LogFollower {
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
    if (!isOpened(data)) throw new Error('the reply to container.follow-logs has no subject');
    const { subject } = data;
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

  /** The number of logs that are followed now. */
  get count(): number {
    return this.open.size;
  }

  /** Ends all of them; clients can follow them through another gateway. */
  close(): void {
    this.closed = true;
    for (const text of this.open) text.destroy();
  }

  private async ask(subject: string, next: LogStreamNext): Promise<LogPiece> {
    const reply = await this.messaging.request(subject, next, { timeoutMs: PIECE_TIMEOUT_MS });
    const data = isObject(reply) && 'data' in reply ? reply.data : undefined;
    if (!isPiece(data)) throw new Error('the reply of the conductor is not a piece of a log');
    return data;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isOpened = (data: unknown): data is LogStreamOpened =>
  isObject(data) && 'subject' in data && typeof data.subject === 'string';

const isPiece = (data: unknown): data is LogPiece =>
  isObject(data) && 'text' in data && typeof data.text === 'string' && 'done' in data && typeof data.done === 'boolean';
