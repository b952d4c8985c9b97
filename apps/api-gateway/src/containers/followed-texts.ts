import { Inject, Injectable } from '@nestjs/common';
import { isLogStreamSubject, type Actor, type LogPiece, type LogStreamNext } from '@stave/contracts';
import type { Logger, Messaging } from '@stave/platform';
import type { Readable } from 'node:stream';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { LOG, MESSAGING } from '../gateway.tokens.js';
import { holderOfActor } from '../http/call.js';
import { member } from '../http/members.js';
import { AnswerLimits } from '../limits/answer-limits.js';
import { FollowedLog } from './followed-log.js';

/** Longer than a conductor waits for new text before it answers. */
const PIECE_TIMEOUT_MS = 6_000;

const isPiece = (data: unknown): data is LogPiece =>
  typeof member(data, 'text') === 'string' && typeof member(data, 'done') === 'boolean';

/** Holds the texts of conductors that clients follow. */
@Injectable()
export class FollowedTexts {
  private readonly texts = new Set<Readable>();
  private closed = false;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOG) private readonly log: Logger,
    private readonly keys: KeyLifetimes,
    private readonly limits: AnswerLimits,
  ) {}

  /**
   * Returns a text as a stream, which fails when it cannot be read further, and ends when the credential of the actor does. `start` opens it at a
   * conductor and resolves with the subject of its pieces. Throws RefusedError `too-many-streams`, and what `start` throws.
   */
  async open(actor: Actor, start: () => Promise<string>): Promise<Readable> {
    const release = this.limits.openStream(holderOfActor(actor));
    try {
      return this.follow(await start(), actor).once('close', release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends all texts; clients can follow them through another gateway. */
  close(): void {
    this.closed = true;
    for (const text of this.texts) text.destroy();
  }

  private follow(subject: string, actor: Actor): Readable {
    const unreleased =
      'the conductor was not notified that a client stopped following a text; it stops after its time limit';
    const text = new FollowedLog(
      next => this.piece(subject, next),
      error => this.log.debug({ err: error }, unreleased),
    );
    this.texts.add(text);
    const release = this.keys.onEnded(actor, () => text.destroy());
    text.once('close', () => {
      release();
      this.texts.delete(text);
    });
    if (this.closed) text.destroy();
    return text;
  }

  private async piece(subject: string, next: LogStreamNext): Promise<LogPiece> {
    // the subject is what a conductor answered, and this process may publish where conductors may not
    if (!isLogStreamSubject(subject)) throw new Error('the conductor named a subject that is not of a text');
    const data = member(await this.messaging.request(subject, next, { timeoutMs: PIECE_TIMEOUT_MS }), 'data');
    if (!isPiece(data)) throw new Error('the reply of the conductor is not a piece of a text');
    return data;
  }
}
