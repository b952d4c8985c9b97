import { Controller, Inject, type OnModuleDestroy } from '@nestjs/common';
import type { Actor, LogPiece, LogStreamNext } from '@stave/contracts';
import type { Logger, Messaging } from '@stave/platform';
import type { Readable } from 'node:stream';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { LOG, MESSAGING } from '../gateway.tokens.js';
import { AnswerLimits } from '../limits/answer-limits.js';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, holderOfActor, param, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { containerLogsRoute } from '../routes/container.routes.js';
import { ServiceClient } from '../services/service-client.js';
import { FollowedLog } from './followed-log.js';

const DEFAULT_TAIL = 200;
/** Longer than a conductor waits for new text before it answers. */
const PIECE_TIMEOUT_MS = 6_000;

const isPiece = (data: unknown): data is LogPiece =>
  typeof member(data, 'text') === 'string' && typeof member(data, 'done') === 'boolean';

/** Answers the logs of containers and holds those that clients follow. */
@Controller()
export class ContainerLogsController implements OnModuleDestroy {
  private readonly open = new Set<Readable>();
  private closed = false;

  constructor(
    private readonly services: ServiceClient,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: Logger,
    private readonly keys: KeyLifetimes,
    private readonly limits: AnswerLimits,
  ) {}

  @Handles(containerLogsRoute)
  async logs(@FromCall() call: Call): Promise<Answer> {
    if (call.query['follow'] === true) return this.followed(call);
    const { data } = await this.ask(call, 'logs');
    return ok(typeof data === 'string' ? { logs: data } : data);
  }

  private async followed(call: Call): Promise<Answer> {
    const { actor } = call.meta;
    const release = this.limits.openStream(holderOfActor(actor));
    try {
      const subject = member((await this.ask(call, 'follow-logs')).data, 'subject');
      if (typeof subject !== 'string') throw new Error('the reply to container.follow-logs has no subject');
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store, no-transform' };
      return ok(this.follow(subject, actor).once('close', release), headers);
    } catch (error) {
      release();
      throw error;
    }
  }

  private ask(call: Call, verb: 'logs' | 'follow-logs') {
    const { tail = DEFAULT_TAIL } = call.query;
    return this.services.ask('container', verb, call.meta, { id: param(call), tail });
  }

  /** Ends all followed logs; clients can follow them through another gateway. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const text of this.open) text.destroy();
  }

  /** Returns the text as a stream, which fails when the log cannot be read further. */
  private follow(subject: string, actor: Actor): Readable {
    const unreleased =
      'the conductor was not notified that a client stopped following a log; it stops after its time limit';
    const text = new FollowedLog(
      next => this.piece(subject, next),
      error => this.log.debug({ err: error }, unreleased),
    );
    this.open.add(text);
    const release = this.keys.onEnded(actor, () => text.destroy());
    text.once('close', () => {
      release();
      this.open.delete(text);
    });
    if (this.closed) text.destroy();
    return text;
  }

  private async piece(subject: string, next: LogStreamNext): Promise<LogPiece> {
    const data = member(await this.messaging.request(subject, next, { timeoutMs: PIECE_TIMEOUT_MS }), 'data');
    if (!isPiece(data)) throw new Error('the reply of the conductor is not a piece of a log');
    return data;
  }
}
