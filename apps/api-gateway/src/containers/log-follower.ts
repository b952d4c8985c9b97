import type { Readable } from 'node:stream';
import type { LogPiece, LogStreamNext, LogStreamOpened, RequestMeta } from '@stave/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import type { GatewayLog } from '../gateway-log.js';
import { LOG, MESSAGING } from '../gateway.tokens.js';
import { FollowedLog } from './followed-log.js';
import { ServiceClient } from '../services/service-client.js';

/** Longer than a conductor keeps who asks for a piece waiting. */
const PIECE_TIMEOUT_MS = 6_000;

/** Logs that clients follow. */
@Injectable()
export class LogFollower {
  private readonly open = new Set<Readable>();
  private closed = false;

  constructor(
    private readonly services: ServiceClient,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: GatewayLog,
  ) {}

  /** The text; it fails when it cannot be read on. Throws as `ServiceClient.ask` does before it has begun. */
  async follow(meta: RequestMeta, body: { readonly id: string; readonly tail: unknown }): Promise<Readable> {
    const { data } = await this.services.ask('container', 'follow-logs', meta, body);
    if (!isOpened(data)) throw new Error('container.follow-logs gave an answer without a subject');
    const { subject } = data;
    const text = new FollowedLog(
      next => this.ask(subject, next),
      error => this.log.debug({ err: error }, 'a log was not let go; the conductor does that by itself'),
    );
    this.open.add(text);
    text.once('close', () => this.open.delete(text));
    if (this.closed) text.destroy();
    return text;
  }

  /** How many are followed now. */
  get count(): number {
    return this.open.size;
  }

  /** Breaks all off: they can be had from another gateway. */
  close(): void {
    this.closed = true;
    for (const text of this.open) text.destroy();
  }

  private async ask(subject: string, next: LogStreamNext): Promise<LogPiece> {
    const reply = await this.messaging.request(subject, next, { timeoutMs: PIECE_TIMEOUT_MS });
    const data = isObject(reply) && 'data' in reply ? reply.data : undefined;
    if (!isPiece(data)) throw new Error('the conductor gave no piece of a log');
    return data;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isOpened = (data: unknown): data is LogStreamOpened =>
  isObject(data) && 'subject' in data && typeof data.subject === 'string';

const isPiece = (data: unknown): data is LogPiece =>
  isObject(data) && 'text' in data && typeof data.text === 'string' && 'done' in data && typeof data.done === 'boolean';
