import type { Reader } from './reader.js';

interface Examined {
  /** The position of the last event of this installation up to `end`; -1: none. */
  readonly position: number;
  /** The position of the last entry of the log that was taken into account. */
  readonly end: number;
}

/**
 * The position of the last event of an installation. Events of others at the end of the log are examined once: a call
 * examines what was appended since the call before it. Only the first one may examine the complete log.
 */
export class Head {
  private known: Examined | undefined;

  constructor(private readonly reader: Pick<Reader, 'lastOfAll' | 'isFollowedByOwn' | 'lastOwn'>) {}

  async position(): Promise<number> {
    const entries = await this.reader.lastOfAll();
    const [last] = entries;
    if (last === undefined) return this.known?.position ?? -1;
    const own = entries.find(({ isOwn }) => isOwn);
    return this.remember({ position: own?.position ?? (await this.before(last.position)), end: last.position });
  }

  /** Returns the position of the last own event where the log ends with events of others. */
  private async before(end: number): Promise<number> {
    const { known } = this;
    if (known && (known.end >= end || !(await this.reader.isFollowedByOwn(known.end)))) return known.position;
    return (await this.reader.lastOwn())?.position ?? -1;
  }

  /** Calls may overlap, so what is known never goes back. */
  private remember(now: Examined): number {
    if (!this.known || now.end > this.known.end) this.known = now;
    return Math.max(now.position, this.known.position);
  }
}
