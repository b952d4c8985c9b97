import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type ErrorKind } from '@stave/contracts';
import { SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { Shares } from './shares.js';

const RETRY_MS = 1_000;

/** Gives back what was taken; a second call does nothing. */
export type Release = () => void;

function refused(code: string, who: 'key' | 'all', what: string): RefusedError {
  const kind: ErrorKind = who === 'key' ? 'rate' : 'unavailable';
  const holder = who === 'key' ? 'the clients of this key have' : 'the clients of this process have';
  return new RefusedError({ code, kind, detail: `${holder} ${what}`, retryAfterMs: RETRY_MS });
}

/**
 * Limits what clients hold of a gateway beyond a moment: open streams, and answers that they do not read. Each process counts for itself.
 * A key that has its limit is refused with 429, everybody with 503 while the process has its own.
 */
@Injectable()
export class AnswerLimits {
  private readonly streams: Shares;
  private readonly unread: Shares;

  constructor(@Inject(SETTINGS) settings: GatewaySettings) {
    this.streams = new Shares(settings.streamsPerKey, settings.streamsInAll);
    this.unread = new Shares(settings.unreadPerKey, settings.unreadInAll);
  }

  /** Counts a stream until it is released. Throws RefusedError `too-many-streams` (429, 503). */
  openStream(keyId: string): Release {
    const full = this.streams.full(keyId);
    if (full) throw refused('too-many-streams', full, 'too many streams open; end some, or repeat the request later');
    return this.streams.take(keyId, 1);
  }

  /** `holder`: a key, or what is public. Throws RefusedError `too-many-unread-answers` (429, 503). */
  requireRead(holder: string): void {
    const full = this.unread.full(holder);
    if (full) throw refused('too-many-unread-answers', full, 'too many answers that are not read yet; read them first');
  }

  /** Counts an answer of so many bytes until it is read. */
  sending(holder: string, bytes: number): Release {
    return this.unread.take(holder, bytes);
  }
}
